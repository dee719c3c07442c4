"""How memory that is freed comes to what is needed next."""

import numpy as np


def keep_freed_memory() -> None:
    """Have the C library keep freed arrays, on large pages: what it returns, the system zeroes page by page.

    glibc has arrays on its heap up to the size of the largest that has been freed elsewhere. For one of 4 MiB
    and more NumPy asks for large pages, and the heap keeps them: the first of these two is elsewhere, the
    second there. None of it is touched. Of larger ones the heap would have more than it can use again.
    """
    for size in (12, 11):
        np.empty(size << 20, np.uint8)
