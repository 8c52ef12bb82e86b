// What is found where certificates are looked for: names of files become pairs or a reason, bytes
// become a certificate with its key or a reason, and each caller's name gets a certificate.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "http/tls/certificate_folder.hpp"
#include "http/tls/port_certificates.hpp"
#include "http/tls/tls_port.hpp"

namespace bellows::http {
namespace {

/// The part up to the next NUL, which leaves `rest`.
std::string_view next_part(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

void pair_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  const auto pairs = pair_up("/tls", names);
  if (!pairs) {
    CHECK(!pairs.error().message().empty(), "a rejection has a reason");
    return;
  }
  CHECK(!pairs->empty(), "a folder has a certificate");
  for (const CertificateFiles& pair : *pairs) {
    const auto is_there = [&](const std::string& path) {
      return path.starts_with("/tls/") && std::ranges::count(names, path.substr(5)) > 0;
    };
    CHECK(is_there(pair.certificate) && is_there(pair.key), "both files are of the folder");
    CHECK(pair.certificate != pair.key, "a certificate is no key");
  }
}

void read_pair(std::string_view certificate, std::string_view key, std::string_view host) {
  TlsPortSettings settings;
  settings.certificates.push_back(
      {.name = "fuzzed",
       .certificate = {.path = {}, .text = std::string(certificate), .name = "certificate"},
       .key = {.path = {}, .text = std::string(key), .name = "key"}});
  auto keys = TicketKeys::make();
  CHECK(keys.has_value(), "the system has randomness");
  const WallTime now(std::chrono::seconds(1'800'000'000));
  const auto read = PortCertificates::load(settings, *std::move(keys), now);
  if (!read) {
    CHECK(!read.error().message().empty(), "a rejection has a reason");
    return;
  }
  CHECK((*read)->list().size() == 1, "there is the one");
  CHECK((*read)->list()[0].valid_until > now, "one that has ended is rejected");
  CHECK(&(*read)->context_for(host) == &(*read)->first(), "any caller gets it");
}

void fuzz(std::string_view text) {
  pair_names(next_part(text));
  const std::string_view host = next_part(text);
  const std::string_view certificate = next_part(text);
  read_pair(certificate, text, host);
}

}  // namespace
}  // namespace bellows::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bellows::http::fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
