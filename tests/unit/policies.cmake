relock_unit_test(policies_arch SOURCES policies_arch.c LIBS relock_policies)
relock_unit_test(policies_registry SOURCES policies_registry.c LIBS relock_policies)
relock_unit_test(policies_exclusion SOURCES policies_exclusion.c LIBS relock_policies)

# These run against a made-up kernel and clock, so that what they count is exact on any machine.
foreach(name policies_wait policies_realtime policies_algorithms policies_progress)
	relock_unit_test(${name} SOURCES ${name}.c policies_fake.c LIBS relock_policies)
	target_link_options(${name} PRIVATE -Wl,--wrap=syscall -Wl,--wrap=clock_gettime)
endforeach()
