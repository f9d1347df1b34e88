"""Recipe of spack for the cores of Tierscope; the Python part comes from the wheel (docs/how-to/install.md).

Spack has no recipes for some Python packages that Tierscope needs (py-duckdb), and it builds all others from their
sources. The cores need a compiler and CMake alone. Build the files of this clone: `spack dev-build tierscope@main`.
"""

from pathlib import Path

from spack.package import depends_on, license, variant, version  # noqa: A004 - spack named it

try:  # spack 1.0 moved the build systems into the builtin repository
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    from spack.package import CMakePackage

CLONE = Path(__file__).resolve().parents[4]


class Tierscope(CMakePackage):
    """Measures, models and predicts the bandwidth and latency of every memory tier of a Linux machine."""

    git = f"file://{CLONE}"

    license("Apache-2.0")
    version("main", branch="main")

    variant("pmdk", default=False, description="Build tierscope-core-pmdk, for targets named pool:")
    variant("static", default=True, description="Link tierscope-core statically; needs the static C library")
    variant("flow", default=False, description="Build the victim flow of run neighbors")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("tomlplusplus", type="build")  # of targets named sim:
    depends_on("lemon", type="build", when="+flow")
    depends_on("pmdk@1.12:", when="+pmdk")

    def cmake_args(self) -> list[str]:
        """Return the options of CMakeLists.txt that the variants stand for."""
        return [
            self.define_from_variant("TIERSCOPE_PMDK", "pmdk"),
            self.define_from_variant("TIERSCOPE_STATIC", "static"),
        ]
