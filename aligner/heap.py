"""How memory that is freed comes to what is needed next."""

import numpy as np


def keep_freed_memory(mebibytes: int) -> None:
    """Have the C library keep freed arrays below so many MiB, on large pages, rather than return them.

    What it returns, the system zeroes anew, page by page. glibc has arrays on its heap up to the size of the
    largest that has been freed elsewhere, and up to 32 MiB. For one of 4 MiB and more NumPy asks for large
    pages, and the heap keeps them: the first of the two here is elsewhere, the second there. Neither is
    touched. With more than blocks need, the heap would hold more than can be used again.
    """
    for size in (mebibytes, mebibytes - 1):
        np.empty(size << 20, np.uint8)
