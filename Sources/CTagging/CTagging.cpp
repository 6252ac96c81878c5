#include "CTagging.h"

#include <attachedpictureframe.h>
#include <chapterframe.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <flacfile.h>
#include <flacpicture.h>
#include <id3v2tag.h>
#include <mp4coverart.h>
#include <mp4file.h>
#include <mp4item.h>
#include <mp4tag.h>
#include <mpegfile.h>
#include <opusfile.h>
#include <string>
#include <tableofcontentsframe.h>
#include <textidentificationframe.h>
#include <tfilestream.h>
#include <vorbisfile.h>
#include <xiphcomment.h>

using namespace TagLib;

namespace {

String text(const char *utf8) { return String(utf8, String::UTF8); }

ByteVector picture(const ctagging_tags &tags) {
  return ByteVector(reinterpret_cast<const char *>(tags.cover), static_cast<unsigned int>(tags.cover_length));
}

const char *mediaType(const ctagging_tags &tags) { return tags.cover_is_png ? "image/png" : "image/jpeg"; }

// MARK: ID3v2

bool hasText(ID3v2::Tag *tag, const char *id) {
  const ID3v2::FrameList &frames = tag->frameList(id);
  return !frames.isEmpty() && !frames.front()->toString().stripWhiteSpace().isEmpty();
}

void setFrame(ID3v2::Tag *tag, const char *id, const String &value) {
  tag->removeFrames(id);
  auto *frame = new ID3v2::TextIdentificationFrame(id, String::UTF8);
  frame->setText(value);
  tag->addFrame(frame);
}

bool hasChapters(const ID3v2::Tag *tag) {
  return !tag->frameList("CHAP").isEmpty() || !tag->frameList("CTOC").isEmpty();
}

/// What an offset of a chapter in bytes is where there is none (ID3v2 Chapter Frame Addendum, section 3.1).
const unsigned int noOffset = 0xFFFFFFFF;

/// Chapters, and the table of contents that lists them in order (ID3v2 Chapter Frame Addendum).
void addChapters(ID3v2::Tag *tag, const ctagging_tags &tags, unsigned int length) {
  ByteVectorList ids;
  for (size_t index = 0; index < tags.chapter_count; ++index) {
    const ctagging_chapter &chapter = tags.chapters[index];
    ByteVector id(("chp" + std::to_string(index)).c_str());
    unsigned int end = chapter.end > 0 ? chapter.end : length;
    auto *title = new ID3v2::TextIdentificationFrame("TIT2", String::UTF8);
    title->setText(text(chapter.title));
    ID3v2::FrameList frames;
    frames.append(title);
    tag->addFrame(new ID3v2::ChapterFrame(
        id, chapter.start, end > chapter.start ? end : chapter.start, noOffset, noOffset, frames));
    ids.append(id);
  }
  auto *contents = new ID3v2::TableOfContentsFrame("toc", ids);
  contents->setIsTopLevel(true);
  contents->setIsOrdered(true);
  tag->addFrame(contents);
}

/// Only the ID3v2 tag is written: what else the file has at its end stays.
ctagging_result writeMPEG(FileStream &stream, const ctagging_tags &tags) {
  // The last chapter ends where the file does.
  MPEG::File file(&stream, ID3v2::FrameFactory::instance(), tags.chapter_count > 0);
  if (!file.isValid()) return CTAGGING_UNREADABLE;
  ID3v2::Tag *tag = file.ID3v2Tag(true);
  if (tags.title) setFrame(tag, "TIT2", text(tags.title));
  if (tags.album) setFrame(tag, "TALB", text(tags.album));
  if (tags.date) setFrame(tag, "TDRC", text(tags.date));
  if (tags.track > 0) setFrame(tag, "TRCK", String::number(tags.track));
  if (tags.disc > 0 && !hasText(tag, "TPOS")) setFrame(tag, "TPOS", String::number(tags.disc));
  if (tags.genre && !hasText(tag, "TCON")) setFrame(tag, "TCON", text(tags.genre));
  if (tags.cover && tag->frameList("APIC").isEmpty()) {
    auto *frame = new ID3v2::AttachedPictureFrame;
    frame->setMimeType(mediaType(tags));
    frame->setType(ID3v2::AttachedPictureFrame::FrontCover);
    frame->setPicture(picture(tags));
    tag->addFrame(frame);
  }
  if (tags.chapter_count > 0 && !hasChapters(tag)) {
    int length = file.audioProperties() ? file.audioProperties()->lengthInMilliseconds() : 0;
    addChapters(tag, tags, length > 0 ? static_cast<unsigned int>(length) : 0);
  }
  bool isSaved = file.save(
      MPEG::File::ID3v2, TagLib::File::StripNone, ID3v2::v4, TagLib::File::DoNotDuplicate);
  return isSaved ? CTAGGING_DONE : CTAGGING_NOT_WRITTEN;
}

// MARK: MPEG-4

/// Keeps how many there are, if the file says it.
void setNumber(MP4::Tag *tag, const char *atom, int number) {
  int total = tag->contains(atom) ? tag->item(atom).toIntPair().second : 0;
  tag->setItem(atom, MP4::Item(number, total < number ? 0 : total));
}

void setText(MP4::Tag *tag, const char *atom, const char *value) {
  tag->setItem(atom, MP4::Item(StringList(text(value))));
}

ctagging_result writeMP4(FileStream &stream, const ctagging_tags &tags) {
  MP4::File file(&stream, false);
  MP4::Tag *tag = file.tag();
  if (!file.isValid() || !tag) return CTAGGING_UNREADABLE;
  if (tags.title) setText(tag, "\251nam", tags.title);
  if (tags.album) setText(tag, "\251alb", tags.album);
  if (tags.date) setText(tag, "\251day", tags.date);
  if (tags.track > 0) setNumber(tag, "trkn", tags.track);
  if (tags.disc > 0 && (!tag->contains("disk") || tag->item("disk").toIntPair().first == 0)) {
    setNumber(tag, "disk", tags.disc);
  }
  if (tags.genre && tag->genre().isEmpty()) setText(tag, "\251gen", tags.genre);
  if (tags.cover && (!tag->contains("covr") || tag->item("covr").toCoverArtList().isEmpty())) {
    MP4::CoverArtList covers;
    covers.append(MP4::CoverArt(tags.cover_is_png ? MP4::CoverArt::PNG : MP4::CoverArt::JPEG, picture(tags)));
    tag->setItem("covr", MP4::Item(covers));
  }
  return file.save() ? CTAGGING_DONE : CTAGGING_NOT_WRITTEN;
}

// MARK: Comments

bool hasField(const Ogg::XiphComment *comment, const char *key) {
  return comment->contains(key) && !comment->fieldListMap()[key].toString().stripWhiteSpace().isEmpty();
}

bool hasChapters(const Ogg::XiphComment *comment) {
  for (const auto &field : comment->fieldListMap()) {
    if (field.first.upper().startsWith("CHAPTER")) return true;
  }
  return false;
}

/// CHAPTER001=00:00:00.000 and CHAPTER001NAME=Title, and so on (Xiph.Org's wiki, Chapter Extension).
void addChapters(Ogg::XiphComment *comment, const ctagging_tags &tags) {
  for (size_t index = 0; index < tags.chapter_count; ++index) {
    unsigned int start = tags.chapters[index].start;
    char key[32], time[32];
    std::snprintf(key, sizeof key, "CHAPTER%03u", static_cast<unsigned int>(index + 1));
    std::snprintf(time, sizeof time, "%02u:%02u:%02u.%03u", start / 3600000, start / 60000 % 60, start / 1000 % 60,
                  start % 1000);
    comment->addField(key, time, true);
    comment->addField(String(key) + "NAME", text(tags.chapters[index].title), true);
  }
}

void setFields(Ogg::XiphComment *comment, const ctagging_tags &tags) {
  if (tags.title) comment->addField("TITLE", text(tags.title), true);
  if (tags.album) comment->addField("ALBUM", text(tags.album), true);
  if (tags.date) comment->addField("DATE", text(tags.date), true);
  if (tags.track > 0) comment->addField("TRACKNUMBER", String::number(tags.track), true);
  if (tags.disc > 0 && !hasField(comment, "DISCNUMBER")) {
    comment->addField("DISCNUMBER", String::number(tags.disc), true);
  }
  if (tags.genre && !hasField(comment, "GENRE")) comment->addField("GENRE", text(tags.genre), true);
  if (!hasChapters(comment)) addChapters(comment, tags);
}

FLAC::Picture *makePicture(const ctagging_tags &tags) {
  auto *block = new FLAC::Picture;
  block->setMimeType(mediaType(tags));
  block->setType(FLAC::Picture::FrontCover);
  block->setData(picture(tags));
  return block;
}

template <class OggFile> ctagging_result writeOgg(FileStream &stream, const ctagging_tags &tags) {
  OggFile file(&stream, false);
  if (!file.isValid() || !file.tag()) return CTAGGING_UNREADABLE;
  Ogg::XiphComment *comment = file.tag();
  setFields(comment, tags);
  if (tags.cover && comment->pictureList().isEmpty()) comment->addPicture(makePicture(tags));
  return file.save() ? CTAGGING_DONE : CTAGGING_NOT_WRITTEN;
}

ctagging_result writeFLAC(FileStream &stream, const ctagging_tags &tags) {
  FLAC::File file(&stream, ID3v2::FrameFactory::instance(), false);
  if (!file.isValid()) return CTAGGING_UNREADABLE;
  setFields(file.xiphComment(true), tags);
  if (tags.cover && file.pictureList().isEmpty()) file.addPicture(makePicture(tags));
  return file.save() ? CTAGGING_DONE : CTAGGING_NOT_WRITTEN;
}

ctagging_result write(FileStream &stream, ctagging_format format, const ctagging_tags &tags) {
  switch (format) {
  case CTAGGING_MPEG: return writeMPEG(stream, tags);
  case CTAGGING_MP4: return writeMP4(stream, tags);
  case CTAGGING_VORBIS: return writeOgg<Ogg::Vorbis::File>(stream, tags);
  case CTAGGING_OPUS: return writeOgg<Ogg::Opus::File>(stream, tags);
  case CTAGGING_FLAC: return writeFLAC(stream, tags);
  }
  return CTAGGING_UNREADABLE;
}

// MARK: Reading back

bool isWritten(const TagLib::File &file, const ctagging_tags &tags) {
  return file.isValid() && file.tag() && (!tags.title || file.tag()->title() == text(tags.title)) &&
         (!tags.album || file.tag()->album() == text(tags.album));
}

/// Of a file whose comments have chapters, if some were to be written.
template <class File> bool isWritten(const File &file, const Ogg::XiphComment *comment, const ctagging_tags &tags) {
  return isWritten(file, tags) && (tags.chapter_count == 0 || (comment && hasChapters(comment)));
}

bool isWritten(FileStream &stream, ctagging_format format, const ctagging_tags &tags) {
  ID3v2::FrameFactory *frames = ID3v2::FrameFactory::instance();
  switch (format) {
  case CTAGGING_MPEG: {
    MPEG::File file(&stream, frames, false);
    return isWritten(file, tags) && (tags.chapter_count == 0 || hasChapters(file.ID3v2Tag(true)));
  }
  case CTAGGING_MP4: return isWritten(MP4::File(&stream, false), tags);
  case CTAGGING_VORBIS: {
    Ogg::Vorbis::File file(&stream, false);
    return isWritten(file, file.tag(), tags);
  }
  case CTAGGING_OPUS: {
    Ogg::Opus::File file(&stream, false);
    return isWritten(file, file.tag(), tags);
  }
  case CTAGGING_FLAC: {
    FLAC::File file(&stream, frames, false);
    return isWritten(file, file.xiphComment(), tags);
  }
  }
  return false;
}

// MARK: Reading

/// The longest text, in bytes.
const size_t longestText = 2048;

void copy(const String &value, char *&destination) {
  std::free(destination);
  destination = strndup(value.to8Bit(true).c_str(), longestText);
}

ctagging_result readTag(const TagLib::File &file, ctagging_contents &contents) {
  const Tag *tag = file.tag();
  if (!file.isValid() || !tag) return CTAGGING_UNREADABLE;
  copy(tag->title(), contents.title);
  copy(tag->album(), contents.album);
  contents.track = static_cast<int>(tag->track());
  return CTAGGING_DONE;
}

ctagging_result readFields(const TagLib::File &file, const Ogg::XiphComment *comment, ctagging_contents &contents) {
  if (comment) {
    if (comment->contains("DATE")) copy(comment->fieldListMap()["DATE"].front(), contents.date);
    contents.has_chapters = hasChapters(comment);
  }
  return readTag(file, contents);
}

ctagging_result read(FileStream &stream, ctagging_format format, ctagging_contents &contents) {
  ID3v2::FrameFactory *frames = ID3v2::FrameFactory::instance();
  switch (format) {
  case CTAGGING_MPEG: {
    MPEG::File file(&stream, frames, false);
    // TagLib has made one date of those of older tags.
    if (file.hasID3v2Tag()) {
      const ID3v2::FrameList &dates = file.ID3v2Tag()->frameList("TDRC");
      if (!dates.isEmpty()) copy(dates.front()->toString(), contents.date);
      contents.has_picture = !file.ID3v2Tag()->frameList("APIC").isEmpty();
      contents.has_chapters = hasChapters(file.ID3v2Tag());
    }
    return readTag(file, contents);
  }
  case CTAGGING_MP4: {
    MP4::File file(&stream, false);
    if (file.tag() && file.tag()->contains("\251day")) {
      copy(file.tag()->item("\251day").toStringList().toString(), contents.date);
    }
    contents.has_picture =
        file.tag() && file.tag()->contains("covr") && !file.tag()->item("covr").toCoverArtList().isEmpty();
    return readTag(file, contents);
  }
  case CTAGGING_VORBIS: {
    Ogg::Vorbis::File file(&stream, false);
    contents.has_picture = file.tag() && !file.tag()->pictureList().isEmpty();
    return readFields(file, file.tag(), contents);
  }
  case CTAGGING_OPUS: {
    Ogg::Opus::File file(&stream, false);
    contents.has_picture = file.tag() && !file.tag()->pictureList().isEmpty();
    return readFields(file, file.tag(), contents);
  }
  case CTAGGING_FLAC: {
    FLAC::File file(&stream, frames, false);
    contents.has_picture = !file.pictureList().isEmpty();
    return readFields(file, file.xiphComment(), contents);
  }
  }
  return CTAGGING_UNREADABLE;
}

} // namespace

// No exception leaves: not even that there is no memory.

extern "C" ctagging_result ctagging_write(int descriptor, ctagging_format format, const ctagging_tags *tags) {
  try {
    FileStream stream(descriptor, false);
    return stream.isOpen() && !stream.readOnly() ? write(stream, format, *tags) : CTAGGING_UNREADABLE;
  } catch (...) {
    return CTAGGING_NOT_WRITTEN;
  }
}

extern "C" ctagging_result ctagging_check(int descriptor, ctagging_format format, const ctagging_tags *tags) {
  try {
    FileStream stream(descriptor, true);
    if (!stream.isOpen()) return CTAGGING_UNREADABLE;
    return isWritten(stream, format, *tags) ? CTAGGING_DONE : CTAGGING_NOT_WRITTEN;
  } catch (...) {
    return CTAGGING_NOT_WRITTEN;
  }
}

extern "C" ctagging_result ctagging_read(int descriptor, ctagging_format format, ctagging_contents *contents) {
  try {
    std::memset(contents, 0, sizeof *contents);
    FileStream stream(descriptor, true);
    return stream.isOpen() ? read(stream, format, *contents) : CTAGGING_UNREADABLE;
  } catch (...) {
    return CTAGGING_UNREADABLE;
  }
}

extern "C" void ctagging_free(ctagging_contents *contents) {
  for (char *text : {contents->title, contents->album, contents->date}) std::free(text);
}
