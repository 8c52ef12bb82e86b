// Writes deploy/crd.yaml: crd_manifest FILE, or to standard output.
#include <fstream>
#include <iostream>

#include "cluster/kubernetes/core/crd.hpp"

int main(int argc, char** argv) {
  const std::string manifest = bellows::cluster::crd_yaml();
  if (argc < 2) {
    std::cout << manifest;
    return 0;
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << manifest;
  file.close();
  if (file) return 0;
  std::cerr << argv[1] << ": cannot be written\n";
  return 1;
}
