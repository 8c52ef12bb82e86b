// A low limit of descriptors for a test.
#pragma once

#include <sys/resource.h>

namespace bellows::test {

/// Lowers the soft limit of descriptors while it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t max) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit low{.rlim_cur = max, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &low);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace bellows::test
