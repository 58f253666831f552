/*
 * Recordings made of valid ones: an input is the number of a scene and a list of edits.
 *
 *	byte 0  the scene      byte 1  what is done with it      then edits of sizeof(struct edit)
 *
 * So inputs are short, every input means something, and a change of an input is a change of a
 * field, a row, a block or the length of the file.
 */
#ifndef RELOCK_TESTS_FUZZ_RECORDING_H
#define RELOCK_TESTS_FUZZ_RECORDING_H

#include "stats/format.h"

#include <stddef.h>
#include <stdint.h>

#define RECORDING_HEAD 2
#define RECORDING_EDITS_MAX 32

enum edit_what {
	EDIT_HEADER,     /* a field of the header */
	EDIT_HEAD,       /* a field of a block's head */
	EDIT_FIELD,      /* a field of a row */
	EDIT_TEXT,       /* bytes of the texts */
	EDIT_ANYWHERE,   /* bytes anywhere */
	EDIT_FILL,       /* a whole row, with one byte */
	EDIT_COPY_ROW,   /* a row over another of its type */
	EDIT_COPY_BLOCK, /* another block like one that is there */
	EDIT_FAR_ROW,    /* a row very far behind, in a block without end */
	EDIT_TRUNCATE,   /* the file is shorter */
	EDIT_EXTEND,     /* the file is longer, and says so */
	EDITS
};

enum edit_how { HOW_SET, HOW_ADD, HOW_XOR, HOW_SPECIAL, HOWS };

struct edit {
	uint8_t what;   /* enum edit_what, modulo EDITS */
	uint8_t type;   /* enum rlk_block_type of the row or block */
	uint16_t which; /* block, or row among all of its type, modulo how many there are */
	uint16_t where; /* in units of four bytes, modulo the size */
	uint8_t how;    /* enum edit_how */
	uint8_t width;  /* 1 << (width & 3) bytes */
	uint64_t value;
};
_Static_assert(sizeof(struct edit) == 16, "corpus files are read by it");

#define IMAGE_BLOCKS 256
#define IMAGE_MORE (64 * 1024) /* room for blocks that are added */
#define IMAGE_FAR 4

struct image_block {
	uint64_t offset;
	uint32_t type, row_size, capacity;
};

/* A recording before it is written. */
struct image {
	unsigned char *bytes;
	size_t used, room;
	uint64_t file_size;
	struct image_block blocks[IMAGE_BLOCKS]; /* as they were before any edit */
	size_t block_count;
	struct {
		uint64_t offset, size;
		unsigned char row[4096];
	} far[IMAGE_FAR];
	size_t far_count;
};

/* Lists the blocks of a valid recording in image->bytes. */
void image_scan(struct image *image);
void image_edit(struct image *image, const struct edit *edit);

#define SCENES 8
/* Makes the recording of a scene in a file. */
void scene_make(unsigned scene, const char *path);

#endif
