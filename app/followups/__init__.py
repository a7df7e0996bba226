"""What a question means that leans on the conversation: rules, and what a small model is asked."""

from app.followups.rewriting import ModelRewriter, Rewriter, RulesOnly, open_rewriter
from app.followups.rules import stand_alone

__all__ = ["ModelRewriter", "Rewriter", "RulesOnly", "open_rewriter", "stand_alone"]
