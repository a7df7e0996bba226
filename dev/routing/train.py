"""`python -m dev.routing.train FOLDER`: learns the router's weights and writes app/routing/weights.bin.

FOLDER holds outcomes (see rows.py; lm-sys/RouteLLM's MMLU and GSM8K rows are such); they stay where they are.
Our own questions lie beside this file. scikit-learn is needed here and in the benchmark, never by the app.
"""

import argparse
from pathlib import Path

from app.routing.weights import SHIPPED, dump
from dev.routing.fitting import fit
from dev.routing.rows import outcomes, questions


def main() -> None:
    parser = argparse.ArgumentParser("python -m dev.routing.train", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the outcomes lie")
    weights = fit(outcomes(parser.parse_args().folder), questions())
    data = dump(weights)
    SHIPPED.write_bytes(data)
    print(f"{SHIPPED.name}: {len(data):,} bytes, {len(weights.large.weights):,} terms")


if __name__ == "__main__":
    main()
