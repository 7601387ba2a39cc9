"""The differences that are known. Each stands in packs/README.md with its reason, under the same name."""


def name_of(call, real, ours, agree):
    """The name of the difference, or None. `agree`: the states after the call are the same."""
    return None
