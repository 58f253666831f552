if(TARGET relock_record_pic)
	relock_unit_test(record SOURCES record_deflation.c LIBS relock_policies)
	target_sources(record PRIVATE $<TARGET_OBJECTS:relock_record_pic>)
endif()
