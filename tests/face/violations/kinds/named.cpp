// A fixture of floors_test: never compiled.
namespace oriel::transport {}
