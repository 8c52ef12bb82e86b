#include "machine/service/waiting_page.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include "base/sys/file.hpp"
#include "config/waiting_page.hpp"

namespace bellows::machine {

Result<void> check_waiting_page(const config::RevisionSettings& settings) {
  const std::string& page = settings.callers.waiting_page;
  if (page.empty() || page == config::kBuiltInPage) return {};
  const auto unfit = [&page](const std::string& how) {
    return fail(ErrorKind::kInvalidSetting, "waiting-page", "\"" + page + "\" " + how);
  };
  // Opening a FIFO would stop all requests until another process writes to it.
  std::error_code unknown;
  const bool is_other =
      std::filesystem::exists(page, unknown) && !std::filesystem::is_regular_file(page, unknown);
  if (is_other) return unfit("is not a regular file; want an HTML file, or built-in");
  const auto text = sys::read_whole_file(page);
  if (!text) return unfit(text.error().message() + "; want an HTML file, or built-in");
  if (!config::is_page_size(text->size())) {
    return unfit("has " + std::to_string(text->size()) + " bytes; want 1 to " +
                 std::to_string(config::kMaxPageBytes));
  }
  return {};
}

}  // namespace bellows::machine
