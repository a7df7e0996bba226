"""The studies, in the order in which they are run and taught."""

from e2e.lab.studies.cap import CAP
from e2e.lab.studies.leaving import LEAVING
from e2e.lab.studies.length import LENGTH
from e2e.lab.studies.passages import PASSAGES
from e2e.lab.studies.prefix import PREFIX
from e2e.lab.studies.streams import STREAMS
from e2e.lab.study import Study

STUDIES: dict[str, Study] = {each.name: each for each in (LENGTH, PREFIX, PASSAGES, STREAMS, CAP, LEAVING)}
