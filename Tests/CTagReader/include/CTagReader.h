// Reads the tags of files, for tests.
#ifndef CTAGREADER_H
#define CTAGREADER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tag_reader_format { TAG_READER_MPEG, TAG_READER_MP4, TAG_READER_VORBIS, TAG_READER_OPUS, TAG_READER_FLAC };

/// What a file's tags say: texts end with NUL; NULL where they say nothing.
struct tag_reader_contents {
  char *title;
  char *album;
  char *date;
  char *genre;
  int track;
  int disc;
  int pictures;
  size_t first_picture_length;
  /// Of the ID3 tag: 3 or 4; 0 without one.
  int id3_version;
  /// A line for each chapter, in the order of the table of contents or of their numbers: in ID3 its beginning and its end in
  /// milliseconds, in comments its time; and its title.
  char *chapters;
};

/// Reads the tags of the file of a descriptor, which it closes: 0, or -1 if it is no such file.
/// `tag_reader_free` follows.
int tag_reader_read(int file, enum tag_reader_format format, struct tag_reader_contents *contents);

/// Frees the texts.
void tag_reader_free(struct tag_reader_contents *contents);

#ifdef __cplusplus
}
#endif

#endif
