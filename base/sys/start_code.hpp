// The code that a program needed to start, and does not need again.
#pragma once

namespace bellows::sys {

/// Takes the pages of the program and its shared libraries that nothing has written (code,
/// constants) out of this process's memory. What still runs is mapped again as it runs, from the
/// same file and mostly from memory. For a program that is small and waits: the kernel maps 64 KB
/// around each page that a start touches, most of which runs once or never. Any thread, once.
/// Source: madvise(2), MADV_DONTNEED. Breakpoints that a debugger has set are lost.
void release_start_code();

}  // namespace bellows::sys
