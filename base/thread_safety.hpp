// What clang checks about locks (-Wthread-safety): which data a lock guards, and which functions
// want it held. Other compilers ignore it. https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#if defined(__clang__)
#define BELLOWS_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define BELLOWS_THREAD_ATTRIBUTE(attribute)
#endif

/// Of a class: a lock, or what one stands for.
#define BELLOWS_CAPABILITY(name) BELLOWS_THREAD_ATTRIBUTE(capability(name))
/// Of a class: holds a lock for its lifetime.
#define BELLOWS_SCOPED_CAPABILITY BELLOWS_THREAD_ATTRIBUTE(scoped_lockable)
/// Of a member: read and changed only with the lock held; of a pointer, what it points to.
#define BELLOWS_GUARDED_BY(lock) BELLOWS_THREAD_ATTRIBUTE(guarded_by(lock))
#define BELLOWS_PT_GUARDED_BY(lock) BELLOWS_THREAD_ATTRIBUTE(pt_guarded_by(lock))
/// Of a function: its caller holds the lock, may hold it for reading only, or does not hold it.
#define BELLOWS_REQUIRES(lock) BELLOWS_THREAD_ATTRIBUTE(requires_capability(lock))
#define BELLOWS_REQUIRES_SHARED(lock) BELLOWS_THREAD_ATTRIBUTE(requires_shared_capability(lock))
#define BELLOWS_EXCLUDES(lock) BELLOWS_THREAD_ATTRIBUTE(locks_excluded(lock))
/// Of a function: it takes the lock, or gives it back. Without an argument: of a scoped capability.
#define BELLOWS_ACQUIRE(lock) BELLOWS_THREAD_ATTRIBUTE(acquire_capability(lock))
#define BELLOWS_ACQUIRE_SHARED(lock) BELLOWS_THREAD_ATTRIBUTE(acquire_shared_capability(lock))
#define BELLOWS_RELEASE(...) BELLOWS_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
/// Of a function: its body is not checked, because the analysis cannot follow it. Say why.
#define BELLOWS_UNCHECKED_LOCKING BELLOWS_THREAD_ATTRIBUTE(no_thread_safety_analysis)
