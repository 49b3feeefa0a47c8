# One static library for each room of src/. A room without sources is an empty interface, so that the tree configures
# while rooms are being built.
function(culprit_room name)
  file(GLOB sources CONFIGURE_DEPENDS src/${name}/*.c src/${name}/*/*.c)
  if(sources)
    add_library(culprit_${name} STATIC ${sources})
    target_include_directories(culprit_${name} PUBLIC include src)
    target_link_libraries(culprit_${name} PUBLIC ${ARGN})
  else()
    add_library(culprit_${name} INTERFACE)
    target_include_directories(culprit_${name} INTERFACE include src)
    target_link_libraries(culprit_${name} INTERFACE ${ARGN})
  endif()
endfunction()
