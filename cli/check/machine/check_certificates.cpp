#include "cli/check/machine/check_certificates.hpp"

#include <chrono>
#include <string>

#include "activator/core/certificate_expiry.hpp"
#include "activator/service/secure_port.hpp"
#include "base/timestamp_text.hpp"

namespace bellows::cli {

namespace {

CheckItem certificate_item(const http::PortCertificate& certificate, WallTime now) {
  std::string text;
  for (const std::string& host : certificate.hosts) text += (text.empty() ? "" : ", ") + host;
  if (text.empty()) text = "no host";
  const Duration left = certificate.valid_until - now;
  const auto days = std::chrono::duration_cast<std::chrono::days>(left).count();
  text += " until " + timestamp_text(certificate.valid_until) + " (" + std::to_string(days) +
          (days == 1 ? " day)" : " days)");
  const std::string name = "certificate " + certificate.name;
  const bool ends_soon = activator::expiry_notice(left, std::nullopt).has_value();
  if (ends_soon) return noted(name, text, "renew " + certificate.file + "; it is then read again");
  return passed(name, text);
}

}  // namespace

std::vector<CheckItem> certificate_items(const config::TlsSettings& settings,
                                         const Endpoint& listen, const sys::Clock& clock) {
  const auto unusable = [](const Error& error) {
    return std::vector<CheckItem>{
        failed("certificates", to_string(error), "docs/tls.md describes the files")};
  };
  const auto checked = activator::check_tls(settings, listen, clock);
  if (!checked) return unusable(checked.error());
  if (!settings.is_on() || settings.source == config::TlsSource::kSelfSigned) return {};
  const auto port = activator::SecurePort::open(settings, listen, clock);
  if (!port) return unusable(port.error());
  std::vector<CheckItem> items;
  for (const http::PortCertificate& each : (*port)->certificates()) {
    items.push_back(certificate_item(each, clock.wall_now()));
  }
  return items;
}

}  // namespace bellows::cli
