// A bellows.yaml is rejected with a reason or becomes services with a name and a command. Reading
// it never throws and always ends.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "base/yaml/document_reader.hpp"
#include "config/bellows_file.hpp"

namespace bellows::config {
namespace {

void fuzz(std::string_view text) {
  const Checked<Document> document = yaml::parse_document("bellows.yaml", text);
  if (!document) {
    CHECK(!document.error().empty(), "a rejection has a reason");
    return;
  }
  const Checked<UpSettings> settings = read_bellows_file(*document, {});
  if (!settings) {
    CHECK(!settings.error().empty(), "a rejection has a reason");
    return;
  }
  CHECK(!settings->services.empty(), "a file has a service");
  for (const Service& service : settings->services) {
    CHECK(!service.name.empty(), "a service has a name");
    CHECK(!service.command.empty(), "a service has a command");
  }
}

}  // namespace
}  // namespace bellows::config

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bellows::config::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
