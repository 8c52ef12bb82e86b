#include "activator/service/secure_port.hpp"

#include <algorithm>
#include <boost/asio/ip/host_name.hpp>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "activator/core/certificate_expiry.hpp"
#include "base/sys/log.hpp"

namespace bellows::activator {

namespace {

constexpr Duration kRotationInterval = std::chrono::hours(1);  // of the keys of tickets
constexpr Duration kWarningInterval = std::chrono::hours(1);   // of checks for expiry
constexpr int kSelfSignedDays = 90;

http::Pem file(const std::string& path) {
  return {.path = path, .text = {}, .name = {}};
}

/// Returns "shop" for "/etc/tls/shop.crt".
std::string short_name(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

/// Returns the names by which a caller may reach a self-signed port.
std::vector<std::string> own_names(const Endpoint& listen) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  boost::system::error_code unknown;
  const std::string host = http::net::ip::host_name(unknown);
  for (const std::string& name : {unknown ? std::string() : host, listen.host}) {
    const bool is_any = name.empty() || name == "0.0.0.0" || name == "::";
    if (!is_any && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Returns the curl command that accepts the self-signed certificate.
std::string curl_text(const Endpoint& listen, const std::string& pin) {
  const std::string host =
      listen.is_unix() ? "localhost" : "localhost:" + std::to_string(listen.port);
  return "curl --insecure --pinnedpubkey " + pin + " https://" + host + "/";
}

http::CertificateSource source_of(const http::SelfSigned& made) {
  const std::string name = "self-signed";
  return {.name = name,
          .certificate = {.path = {}, .text = made.certificate, .name = name},
          .key = {.path = {}, .text = made.key, .name = name}};
}

http::TlsPortSettings port_settings(const config::TlsSettings& settings) {
  http::TlsPortSettings port;
  const std::vector<std::string> certificates = config::path_list(settings.certificate);
  const std::vector<std::string> keys = config::path_list(settings.key);
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    port.certificates.push_back({.name = short_name(certificates[i]),
                                 .certificate = file(certificates[i]),
                                 .key = file(keys[i])});
  }
  port.folder = settings.folder;
  port.allows_tls12 = settings.minimum_version == config::TlsVersion::k12;
  port.offers_http2 = true;
  if (!settings.client_ca.empty()) port.client_ca = file(settings.client_ca);
  port.clients = settings.client_certificate == config::ClientCertificate::kRequired
                     ? http::ClientCertificates::kRequired
                     : http::ClientCertificates::kOptional;
  return port;
}

/// Returns an error about a file with the setting that names it.
Error with_setting(Error error, const config::TlsSettings& settings) {
  const std::pair<std::string_view, std::vector<std::string>> files[] = {
      {"tls-certificate", config::path_list(settings.certificate)},
      {"tls-key", config::path_list(settings.key)},
      {"tls-client-ca", {settings.client_ca}},
      {"tls-folder", {settings.folder}}};
  for (const auto& [setting, paths] : files) {
    if (std::ranges::find(paths, error.culprit()) == paths.end()) continue;
    std::string message = "\"" + error.culprit() + "\": " + error.message();
    if (message.find("; want") == std::string::npos) {
      message += "; want a PEM file that this user may read (docs/tls.md)";
    }
    return {error.kind(), std::string(setting), std::move(message)};
  }
  return error;
}

}  // namespace

SecurePort::SecurePort(const config::TlsSettings& settings, const sys::Clock& clock,
                       std::unique_ptr<http::TlsPort> port, std::optional<http::SelfSigned> made)
    : settings_(settings),
      clock_(clock),
      port_(std::move(port)),
      made_(std::move(made)),
      next_rotation_(clock.now() + kRotationInterval) {}

Result<std::unique_ptr<SecurePort>> SecurePort::open(const config::TlsSettings& settings,
                                                     const Endpoint& listen,
                                                     const sys::Clock& clock) {
  http::TlsPortSettings wanted = port_settings(settings);
  std::optional<http::SelfSigned> made;
  if (settings.source == config::TlsSource::kSelfSigned) {
    BELLOWS_TRY(made, http::make_self_signed(own_names(listen), kSelfSignedDays));
    wanted.certificates.push_back(source_of(*made));
  }
  BELLOWS_TRY(std::unique_ptr<http::TlsPort> port,
              http::TlsPort::open(std::move(wanted), clock.wall_now()));
  return std::unique_ptr<SecurePort>(
      new SecurePort(settings, clock, std::move(port), std::move(made)));
}

void SecurePort::announce(const Endpoint& listening) const {
  if (!made_) return;
  sys::log::info(
      "self-signed certificate: for a first try",
      {{"sha256_fingerprint", made_->fingerprint}, {"try", curl_text(listening, made_->pin)}});
}

Result<void> check_tls(const config::TlsSettings& settings, const Endpoint& listen,
                       const sys::Clock& clock) {
  // Without this check a misspelt folder would be noticed when the first certificate is not
  // renewed.
  std::error_code unknown;
  const std::string& folder = settings.acme_folder;
  if (!folder.empty() && !std::filesystem::is_directory(folder, unknown)) {
    return fail(
        ErrorKind::kInvalidSetting, "acme-folder",
        "\"" + folder + "\": there is no such folder; want the one that an ACME client fills");
  }
  if (!settings.is_on() || settings.source == config::TlsSource::kSelfSigned) return {};
  const auto opened = SecurePort::open(settings, listen, clock);
  if (!opened) return fail(with_setting(opened.error(), settings));
  return {};
}

http::MakeConnection SecurePort::connections(http::Reactor& reactor) {
  return [this, &reactor](sys::Descriptor socket,
                          const http::SocketAddress& peer) -> std::unique_ptr<http::Connection> {
    auto session = start_session();
    if (!session) return nullptr;
    return connect(reactor, std::move(socket), peer, std::move(session));
  };
}

std::unique_ptr<http::TlsSession> SecurePort::start_session() {
  auto session = port_->start({});
  if (session) return *std::move(session);
  sys::log::error("no TLS session", {{"error", to_string(session.error())}});
  return nullptr;
}

std::unique_ptr<http::Connection> SecurePort::connect(http::Reactor& reactor,
                                                      sys::Descriptor socket,
                                                      const http::SocketAddress& peer,
                                                      std::unique_ptr<http::TlsSession> session) {
  return std::make_unique<http::TlsConnection>(
      reactor, std::move(socket), std::move(session),
      http::TlsConnectionOptions{.handshake_timeout = settings_.handshake_timeout,
                                 .counters = &handshakes_,
                                 .peer = http::address_text(peer)});
}

void SecurePort::look() {
  const TimePoint now = clock_.now();
  if (port_->has_settled_change()) (void)reload();  // it logs its error
  if (now >= next_rotation_) {
    next_rotation_ = now + kRotationInterval;
    const Result<void> rotated = port_->rotate_ticket_keys();
    if (!rotated) sys::log::warning("old keys stay", {{"error", to_string(rotated.error())}});
  }
  if (now < next_warnings_) return;
  next_warnings_ = now + kWarningInterval;
  warn_of_ends();
}

Result<void> SecurePort::reload() {
  Result<void> read = port_->reload(clock_.wall_now());
  if (!read) {
    ++failed_reloads_;
    sys::log::error("certificates cannot be used; the previous ones stay in force",
                    {{"error", to_string(read.error())}});
    return read;
  }
  ++reloads_;
  sys::log::info("certificates read", {{"certificates", certificates().size()}});
  warn_of_ends();
  return {};
}

void SecurePort::warn_of_ends() {
  std::map<std::string, Said> said;
  for (const http::PortCertificate& each : certificates()) {
    const auto before = said_.find(each.file);
    std::optional<std::chrono::days> last;
    if (before != said_.end() && before->second.valid_until == each.valid_until) {
      last = before->second.notice;
      said.insert(*before);
    }
    const Duration left = each.valid_until - clock_.wall_now();
    const auto notice = expiry_notice(left, last);
    if (!notice) continue;
    said.insert_or_assign(each.file, Said{.valid_until = each.valid_until, .notice = *notice});
    const char* const what = left <= Duration::zero()
                                 ? "a certificate has expired: callers reject it"
                                 : "a certificate expires soon: renew it";
    sys::log::warning(what, {{"file", each.file}, {"left", left}});
  }
  said_ = std::move(said);
}

std::vector<metrics::prometheus::Listing> SecurePort::list_series(
    metrics::prometheus::Registry& registry, const std::string& prefix) const {
  using metrics::prometheus::AddSeries;
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  std::vector<metrics::prometheus::Listing> series;
  series.push_back(registry.list_counters(
      prefix + "_tls_handshakes_total", "TLS handshakes with callers by outcome",
      [this, number](const AddSeries& add) {
        add({{"outcome", "full"}}, number(handshakes_.full));
        add({{"outcome", "resumed"}}, number(handshakes_.resumed));
        add({{"outcome", "failed"}}, number(handshakes_.failed));
        add({{"outcome", "late"}}, number(handshakes_.late));
        add({{"outcome", "plain_http"}}, number(handshakes_.plain_http));
      }));
  series.push_back(registry.list_counters(prefix + "_tls_reloads_total",
                                          "Times that changed certificates were read",
                                          [this, number](const AddSeries& add) {
                                            add({{"outcome", "done"}}, number(reloads_));
                                            add({{"outcome", "failed"}}, number(failed_reloads_));
                                          }));
  series.push_back(registry.list_gauges(
      prefix + "_tls_certificate_expiry_timestamp_seconds",
      "Expiry of a certificate, or of the one in its chain that expires first",
      [this](const AddSeries& add) {
        for (const http::PortCertificate& each : certificates()) {
          add({{"certificate", each.name}}, to_seconds(each.valid_until.time_since_epoch()));
        }
      }));
  return series;
}

}  // namespace bellows::activator
