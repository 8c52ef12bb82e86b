#include "base/sys/start_code.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bellows::sys {

namespace {

/// Releases only whole pages of read-only segments, because other pages may be modified.
void release_segment(std::uintptr_t begin, std::size_t size) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + size) / page * page;
  // A failure only leaves the memory in use.
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

bool is_kernel_code(const dl_phdr_info& object) {
  return std::string_view(object.dlpi_name).starts_with("linux-");
}

/// Returns true for a library whose code the loader has changed: its pages are private copies.
bool has_changed_code(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + part.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_TEXTREL) return true;
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return true;
    }
  }
  return false;
}

int release_object(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
  if (is_kernel_code(*object) || has_changed_code(*object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    release_segment(object->dlpi_addr + part.p_vaddr, part.p_memsz);
  }
  return 0;
}

}  // namespace

void release_start_code() {
  ::dl_iterate_phdr(release_object, nullptr);
}

}  // namespace bellows::sys
