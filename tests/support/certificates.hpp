// Certificates made for a test: a CA, and what it signs.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace bellows::test {

/// What a certificate says.
struct CertificateSpec {
  std::string common_name = "test";
  std::vector<std::string> dns_names = {};
  std::vector<std::string> addresses = {};
  long valid_from_seconds = -3600;  ///< from now
  long valid_to_seconds = 3600;
  bool is_rsa = false;  ///< its key is RSA with 2,048 bits, which takes some 100 ms to make
};

/// A certificate and its key as PEM.
struct TestCertificate {
  std::string certificate;
  std::string key;
};

/// Keys are P-256 unless asked otherwise: making one takes no time.
class TestCa {
 public:
  explicit TestCa(const std::string& common_name = "test CA");
  ~TestCa();
  TestCa(const TestCa&) = delete;
  TestCa& operator=(const TestCa&) = delete;

  const std::string& certificate() const { return certificate_; }
  TestCertificate sign(const CertificateSpec& spec) const;
  /// For "localhost" and 127.0.0.1.
  TestCertificate sign_localhost() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::string certificate_;
};

}  // namespace bellows::test
