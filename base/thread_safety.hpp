// What clang checks about locks (-Wthread-safety): which data a lock guards, and which functions
// want it held. Other compilers ignore it. https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
#pragma once

#if defined(__clang__)
#define BELLOWS_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define BELLOWS_THREAD_ATTRIBUTE(attribute)
#endif

/// Marks a class that is a lock, or stands for one.
#define BELLOWS_CAPABILITY(name) BELLOWS_THREAD_ATTRIBUTE(capability(name))
/// Marks a class that holds a lock for its lifetime.
#define BELLOWS_SCOPED_CAPABILITY BELLOWS_THREAD_ATTRIBUTE(scoped_lockable)
/// Mark a member that is read and changed only with the lock held; PT: what it points to.
#define BELLOWS_GUARDED_BY(lock) BELLOWS_THREAD_ATTRIBUTE(guarded_by(lock))
#define BELLOWS_PT_GUARDED_BY(lock) BELLOWS_THREAD_ATTRIBUTE(pt_guarded_by(lock))
/// Mark a function whose caller holds the lock, holds it at least for reading, or does not hold it.
#define BELLOWS_REQUIRES(lock) BELLOWS_THREAD_ATTRIBUTE(requires_capability(lock))
#define BELLOWS_REQUIRES_SHARED(lock) BELLOWS_THREAD_ATTRIBUTE(requires_shared_capability(lock))
#define BELLOWS_EXCLUDES(lock) BELLOWS_THREAD_ATTRIBUTE(locks_excluded(lock))
/// Mark a function that takes or releases the lock; without an argument that of its scoped class.
#define BELLOWS_ACQUIRE(lock) BELLOWS_THREAD_ATTRIBUTE(acquire_capability(lock))
#define BELLOWS_ACQUIRE_SHARED(lock) BELLOWS_THREAD_ATTRIBUTE(acquire_shared_capability(lock))
#define BELLOWS_RELEASE(...) BELLOWS_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
/// Marks a function whose body the analysis cannot follow. Say why.
#define BELLOWS_UNCHECKED_LOCKING BELLOWS_THREAD_ATTRIBUTE(no_thread_safety_analysis)
