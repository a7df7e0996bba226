// A tab that goes out of sight when told to: headless browsers keep every tab in sight. No frames come then.
(() => {
  window.hide = () => {
    Object.defineProperty(document, "hidden", {get: () => true});
    Object.defineProperty(document, "visibilityState", {get: () => "hidden"});
    window.requestAnimationFrame = () => 1_000_000;
    document.dispatchEvent(new Event("visibilitychange"));
  };
})();
