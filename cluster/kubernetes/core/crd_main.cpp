// Writes deploy/crd.yaml: crd_manifest [FILE], or to standard output.
#include "base/sys/generated_file.hpp"
#include "cluster/kubernetes/core/crd.hpp"

int main(int argc, char** argv) {
  return bellows::sys::write_generated_file(argc, argv, bellows::cluster::crd_yaml());
}
