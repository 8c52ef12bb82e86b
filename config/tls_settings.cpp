#include "config/tls_settings.hpp"

#include <algorithm>
#include <chrono>

namespace bellows::config {

namespace {

using namespace std::chrono_literals;

/// The format of paths with commas between them, none of which is empty; or an empty text.
TextFormat paths_format() {
  return {.want = "paths of PEM files, with commas between them",
          .read = [](std::string_view text) -> std::optional<std::string> {
            const std::vector<std::string> paths = path_list(text);
            const bool has_empty =
                std::ranges::any_of(paths, [](const std::string& path) { return path.empty(); });
            if (!text.empty() && has_empty) return std::nullopt;
            return std::string(text);
          }};
}

bool has_as_many_keys(const TlsSettings& settings) {
  return path_list(settings.key).size() == path_list(settings.certificate).size();
}

bool has_one_place(const TlsSettings& settings) {
  return settings.folder.empty() || settings.certificate.empty();
}

bool has_one_source(const TlsSettings& settings) {
  const bool has_files = !settings.certificate.empty() || !settings.folder.empty();
  return settings.source == TlsSource::kFiles || !has_files;
}

void declare_certificates(Schema<TlsSettings>& tls) {
  tls.add_choice(
      &TlsSettings::source, {{"files", TlsSource::kFiles}, {"self-signed", TlsSource::kSelfSigned}},
      {.name = "tls",
       .help = "Source of the certificate for requests. files: tls-certificate or tls-folder; "
               "without them requests use no TLS. self-signed: made at the start, for a first try; "
               "the log has its fingerprint and how curl trusts it."});
  tls.add(&TlsSettings::certificate,
          {.name = "tls-certificate",
           .format = paths_format(),
           .help = "PEM file with the certificate of the port for requests and its chain, the "
                   "host's own first. With several a caller gets the one for the name that it asks "
                   "for, others the first. Files are read again when they change, and at SIGHUP."});
  tls.add(&TlsSettings::key,
          {.name = "tls-key",
           .format = paths_format(),
           .help = "PEM file with the key of tls-certificate, without a password; "
                   "as many as certificates, in their order."});
  tls.add(&TlsSettings::folder,
          {.name = "tls-folder",
           .help = "Folder of certificates and keys for requests: NAME.crt or NAME.pem with "
                   "NAME.key, tls.crt with tls.key (a secret of Kubernetes), or fullchain.pem with "
                   "privkey.pem (certbot), in it and in its sub-folders. Callers who name no host "
                   "get the one called default, else tls, else the first by name."});
  tls.add_rule({{"tls-key", "tls-certificate"},
                has_as_many_keys,
                "as many files in tls-key as in tls-certificate"});
  tls.add_rule(
      {{"tls-folder", "tls-certificate"}, has_one_place, "either tls-folder or tls-certificate"});
  tls.add_rule({{"tls", "tls-certificate", "tls-folder"},
                has_one_source,
                "neither tls-certificate nor tls-folder with self-signed"});
}

void declare_handshakes(Schema<TlsSettings>& tls) {
  using namespace std::chrono_literals;
  tls.add_choice(&TlsSettings::minimum_version,
                 {{"1.2", TlsVersion::k12}, {"1.3", TlsVersion::k13}},
                 {.name = "tls-minimum-version",
                  .help = "Lowest version of TLS that callers may use. Set it to 1.3 if no caller "
                          "is older than 2018."});
  tls.add(&TlsSettings::client_ca,
          {.name = "tls-client-ca",
           .help = "PEM file with CAs: callers present a certificate of one of them, and apps get "
                   "its hash, subject and names in X-Forwarded-Client-Cert, which no caller can "
                   "set itself. Unset: no certificate is requested."});
  tls.add_choice(
      &TlsSettings::client_certificate,
      {{"required", ClientCertificate::kRequired}, {"optional", ClientCertificate::kOptional}},
      {.name = "tls-client-certificate",
       .help = "With tls-client-ca: whether callers without a certificate are refused in "
               "the handshake, or served without that header."});
  tls.add_rule({{"tls-client-ca"},
                [](const TlsSettings& s) { return s.client_ca.empty() || s.is_on(); },
                "tls-certificate, tls-folder or tls self-signed with it"});
  tls.add(&TlsSettings::handshake_timeout,
          {.name = "tls-handshake-timeout",
           .bounds = between(1s, 5min),
           .help = "A caller whose TLS handshake takes longer is disconnected. It holds no slot "
                   "meanwhile."});
}

void declare_hsts(Schema<TlsSettings>& tls) {
  tls.add(&TlsSettings::hsts,
          {.name = "hsts",
           .bounds = in_whole_seconds(between(0s, 17520h)),
           .help = "Browsers that had a response by TLS use only TLS for this host for so long: "
                   "max-age of Strict-Transport-Security in responses whose app does not set it. "
                   "Browsers remember it, so start with minutes. 0s: no response gets it."});
  tls.add_rule({{"hsts"},
                [](const TlsSettings& s) { return s.hsts == Duration::zero() || s.is_on(); },
                "tls-certificate, tls-folder or tls self-signed with it"});
}

void declare_redirects(Schema<TlsSettings>& tls) {
  tls.add(&TlsSettings::redirect_listen,
          {.name = "redirect-listen",
           .help = "Second address, for plain http: every request is redirected to https (308), "
                   "except those of acme-folder.",
           .unset = "there is none"});
  tls.add(&TlsSettings::redirect_port,
          {.name = "redirect-port",
           .bounds = between(1, 65535),
           .help = "Port of the https addresses in redirects. Set it if a load balancer or a "
                   "container maps another one to listen.",
           .unset = "that of listen"});
  tls.add(&TlsSettings::acme_folder,
          {.name = "acme-folder",
           .help = "Folder whose challenges are served below /.well-known/acme-challenge/ at "
                   "redirect-listen: certbot's --webroot-path, or where another client writes its "
                   "tokens. Only files with names of letters, digits, - and _ are, and they are "
                   "only read.",
           .unset = "none is served"});
  tls.add_rule({{"redirect-listen"},
                [](const TlsSettings& s) { return !s.redirect_listen || s.is_on(); },
                "tls-certificate, tls-folder or tls self-signed with it"});
  tls.add_rule({{"acme-folder", "redirect-listen"},
                [](const TlsSettings& s) { return s.acme_folder.empty() || s.redirect_listen; },
                "redirect-listen with acme-folder: challenges use plain http"});
  tls.add_rule({{"redirect-port", "redirect-listen"},
                [](const TlsSettings& s) { return !s.redirect_port || s.redirect_listen; },
                "redirect-listen with redirect-port"});
}

}  // namespace

std::vector<std::string> path_list(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    paths.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (comma != std::string_view::npos && text.empty()) paths.emplace_back();
  }
  return paths;
}

const Schema<TlsSettings>& tls_schema() {
  static const Schema<TlsSettings> schema = [] {
    Schema<TlsSettings> tls;
    tls.group("TLS");
    declare_certificates(tls);
    declare_handshakes(tls);
    declare_hsts(tls);
    declare_redirects(tls);
    return tls;
  }();
  return schema;
}

}  // namespace bellows::config
