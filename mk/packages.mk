# The files that pkg-config and CMake read. Their text depends on where the library goes, so `make install` writes them
# there directly, and adds no file to build/.
#
# SPDX-License-Identifier: Apache-2.0

# $(call pkgconfig_file,product)
define pkgconfig_file
prefix=$(prefix)
libdir=$(call below_prefix,$(libdir))
includedir=$(call below_prefix,$(includedir))

Name: $(1)
Description: $(DESCRIPTION_$(1))
Version: $(VERSION)
$(if $(BELOW_$(1)),Requires: $(BELOW_$(1):%=% = $(VERSION))
)Libs: -L"$${libdir}" -l$(1)
Libs.private: $(LINKS_$(1):%=-l%)
Cflags: -I"$${includedir}"
endef

# From a package to the headers, which may be installed anywhere.
TO_HEADERS = $(shell realpath -ms --relative-to='$(cmakedir)/$(NAME_$(1))' '$(includedir)')

# $(call of_lower,product,kind): the targets of that kind of the products below, and $(call separated,words), as CMake's
# lists are written.
of_lower  = $(foreach lower,$(BELOW_$(1)),$(NAME_$(lower))::$(2))
separated = $(subst $(empty) $(empty),;,$(strip $(1)))

# $(call cmake_file,product). The paths are found from where the file lies, so that an installation can be moved.
define cmake_file
$(if $(BELOW_$(1)),include(CMakeFindDependencyMacro)
)$(foreach lower,$(BELOW_$(1)),find_dependency($(NAME_$(lower)) $(VERSION) HINTS "$${CMAKE_CURRENT_LIST_DIR}/..")
)get_filename_component(_libraries "$${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_headers "$${CMAKE_CURRENT_LIST_DIR}/$(TO_HEADERS)" ABSOLUTE)
foreach(_kind shared static)
  if(NOT TARGET $(NAME_$(1))::$${_kind})
    string(TOUPPER $${_kind} _KIND)
    add_library($(NAME_$(1))::$${_kind} $${_KIND} IMPORTED)
    set_target_properties($(NAME_$(1))::$${_kind} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$${_headers}")
  endif()
endforeach()
set_target_properties($(NAME_$(1))::shared PROPERTIES
  IMPORTED_LOCATION "$${_libraries}/lib$(1).so.$(VERSION)" IMPORTED_SONAME "lib$(1).so.$(SOVERSION)"
  INTERFACE_LINK_LIBRARIES "$(call separated,$(call of_lower,$(1),shared))")
set_target_properties($(NAME_$(1))::static PROPERTIES IMPORTED_LOCATION "$${_libraries}/lib$(1).a"
  INTERFACE_LINK_LIBRARIES "$(call separated,$(call of_lower,$(1),static) $(LINKS_$(1)))")
if(NOT TARGET $(NAME_$(1))::$(NAME_$(1)))
  add_library($(NAME_$(1))::$(NAME_$(1)) INTERFACE IMPORTED)
  set_target_properties($(NAME_$(1))::$(NAME_$(1)) PROPERTIES INTERFACE_LINK_LIBRARIES $(NAME_$(1))::shared)
endif()
unset(_libraries)
unset(_headers)
endef

define cmake_version_file
set(PACKAGE_VERSION "$(VERSION)")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
endef

define export_files
install uninstall: export PKGCONFIG_$(1) = $$(call pkgconfig_file,$(1))
install uninstall: export CMAKE_$(1) = $$(call cmake_file,$(1))
endef

$(foreach product,$(PRODUCTS),$(eval $(call export_files,$(product))))
install uninstall: export CMAKE_VERSION_FILE = $(cmake_version_file)
