#include "http/tls/tls_port.hpp"

#include <utility>

#include "base/sys/file_stamp.hpp"
#include "http/tls/certificate_folder.hpp"
#include "http/tls/certificates.hpp"
#include "http/tls/openssl_session.hpp"
#include "http/tls/port_certificates.hpp"
#include "http/tls/ticket_keys.hpp"

namespace bellows::http {

namespace {

void append_look(const std::string& path, std::string& look) {
  if (path.empty()) return;
  const sys::FileStamp stamp = sys::stamp_of(path);
  look += path + '\0' + std::to_string(stamp.inode) + ' ' + std::to_string(stamp.size) + ' ' +
          std::to_string(stamp.changed_at.tv_sec) + '.' + std::to_string(stamp.changed_at.tv_nsec) +
          '\n';
}

}  // namespace

TlsPort::TlsPort(TlsPortSettings settings) : settings_(std::move(settings)) {}

TlsPort::~TlsPort() = default;

Result<std::unique_ptr<TlsPort>> TlsPort::open(TlsPortSettings settings, WallTime now) {
  std::unique_ptr<TlsPort> port(new TlsPort(std::move(settings)));
  BELLOWS_CHECKED(port->reload(now));
  return port;
}

Result<std::unique_ptr<TlsSession>> TlsPort::start(const std::string& /*server_name*/) {
  return make_openssl_session(certificates_->first(), TlsSide::kServer,
                              {.server_name = {}, .trusted = name_of(settings_.client_ca)},
                              certificates_);
}

/// Returns everything that reveals a change of the files.
std::string TlsPort::look() const {
  std::string look;
  append_look(settings_.client_ca.path, look);
  for (const CertificateSource& each : settings_.certificates) {
    append_look(each.certificate.path, look);
    append_look(each.key.path, look);
  }
  if (settings_.folder.empty()) return look;
  const auto found = certificates_in(settings_.folder);
  if (!found) return look + to_string(found.error());
  for (const CertificateFiles& each : *found) {
    append_look(each.certificate, look);
    append_look(each.key, look);
  }
  return look;
}

bool TlsPort::has_settled_change() {
  std::string now = look();
  const bool is_settled = now == last_look_;
  last_look_ = std::move(now);
  return is_settled && last_look_ != read_;
}

Result<void> TlsPort::reload(WallTime now) {
  read_ = look();  // stamped before the files are read, so that no change is missed
  last_look_ = read_;
  BELLOWS_TRY(const std::shared_ptr<TicketKeys> fresh, TicketKeys::make());
  // A ticket vouches for a caller's certificate, so tickets of an earlier CA become invalid with
  // it.
  const bool keeps_keys = keys_ != nullptr && settings_.client_ca.empty();
  auto keys = keeps_keys ? keys_ : fresh;
  BELLOWS_TRY(certificates_, PortCertificates::load(settings_, keys, now));
  keys_ = std::move(keys);
  return {};
}

Result<void> TlsPort::rotate_ticket_keys() {
  return keys_->rotate();
}

const std::vector<PortCertificate>& TlsPort::certificates() const {
  return certificates_->list();
}

}  // namespace bellows::http
