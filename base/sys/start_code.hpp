// Code that a program needs only to start.
#pragma once

namespace bellows::sys {

/// Removes the unmodified pages of the program and its shared libraries (code, constants) from the
/// resident memory of this process. Code that still runs is mapped again on use, from the same file
/// and mostly from the page cache. Small programs that mostly wait use it, because the kernel maps
/// 64 KB around each page that a start touches, and most of that runs once or never. Breakpoints of
/// a debugger are lost. Call it once, on any thread. Source: madvise(2), MADV_DONTNEED.
void release_start_code();

}  // namespace bellows::sys
