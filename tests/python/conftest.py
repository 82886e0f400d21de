import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def models() -> Path:
    """The folder of the models that come with Kardan."""
    return Path(os.environ["KARDAN_SOURCE_DIR"]) / "models"
