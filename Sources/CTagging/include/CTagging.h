// Writes and reads tags with TagLib, whose own C interface knows neither covers nor discs.
#ifndef CTAGGING_H
#define CTAGGING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The formats whose tags are written.
enum ctagging_format {
  /// MPEG audio: ID3v2.4.
  CTAGGING_MPEG,
  /// MPEG-4: the atoms of iTunes.
  CTAGGING_MP4,
  /// Ogg Vorbis: comments.
  CTAGGING_VORBIS,
  /// Ogg Opus: comments.
  CTAGGING_OPUS,
  /// FLAC: comments.
  CTAGGING_FLAC,
};

/// A chapter.
struct ctagging_chapter {
  /// In milliseconds from the beginning.
  unsigned int start;
  /// Likewise; 0 for the end of the file.
  unsigned int end;
  /// UTF-8, not NULL.
  const char *title;
};

/// What is to be written. Texts are UTF-8; NULL, and 0 for numbers, leaves what the file has.
struct ctagging_tags {
  /// These replace what the file has.
  const char *title;
  const char *album;
  /// YYYY-MM-DD.
  const char *date;
  int track;
  /// These are written only where the file has none.
  int disc;
  const char *genre;
  /// A JPEG or PNG picture.
  const unsigned char *cover;
  size_t cover_length;
  int cover_is_png;
  /// At most 255, in the order of their beginnings. Written only where the file has no chapters; never into MPEG-4.
  const struct ctagging_chapter *chapters;
  size_t chapter_count;
};

enum ctagging_result {
  CTAGGING_DONE,
  /// The file is not of the format, or is damaged.
  CTAGGING_UNREADABLE,
  /// Its tags could not be written.
  CTAGGING_NOT_WRITTEN,
};

/// Writes tags into the file of a descriptor, which it closes. The file is parsed and rewritten by TagLib, which may crash on
/// a hostile one: to be called in a process that may die.
enum ctagging_result ctagging_write(int file, enum ctagging_format format, const struct ctagging_tags *tags);

/// Whether the file of a descriptor, which it closes, has title and album as they were to be written, and chapters if some
/// were: TagLib does not say that
/// a write has failed.
enum ctagging_result ctagging_check(int file, enum ctagging_format format, const struct ctagging_tags *tags);

/// What the tags of a file say: texts are UTF-8, end with NUL, and are cut to 2048 bytes; NULL, and 0, where they say nothing. They
/// are pointers: Swift's compiler needs a minute for arrays, which it takes for tuples.
struct ctagging_contents {
  char *title;
  char *album;
  /// Mostly as ISO 8601 writes it.
  char *date;
  int track;
  /// Whether the file has a picture, and chapters: `ctagging_write` leaves those.
  int has_picture;
  int has_chapters;
};

/// Reads the tags of the file of a descriptor, which it closes. Like `ctagging_write`, to be called in a process that may die.
/// `ctagging_free` follows, also where it fails.
enum ctagging_result ctagging_read(int file, enum ctagging_format format, struct ctagging_contents *contents);

/// Frees the texts.
void ctagging_free(struct ctagging_contents *contents);

#ifdef __cplusplus
}
#endif

#endif
