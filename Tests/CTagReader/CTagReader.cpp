#include "CTagReader.h"

#include <attachedpictureframe.h>
#include <chapterframe.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <flacfile.h>
#include <flacpicture.h>
#include <id3v2header.h>
#include <id3v2tag.h>
#include <mp4coverart.h>
#include <mp4file.h>
#include <mp4item.h>
#include <mp4tag.h>
#include <mpegfile.h>
#include <opusfile.h>
#include <string>
#include <tableofcontentsframe.h>
#include <tfilestream.h>
#include <vorbisfile.h>
#include <xiphcomment.h>

using namespace TagLib;

namespace {

void copy(const String &value, char *&destination) {
  std::free(destination);
  destination = strdup(value.to8Bit(true).c_str());
}

void readPictures(const List<FLAC::Picture *> &pictures, tag_reader_contents &contents) {
  contents.pictures = static_cast<int>(pictures.size());
  if (!pictures.isEmpty()) contents.first_picture_length = pictures.front()->data().size();
}

void readChapters(const ID3v2::Tag *tag, tag_reader_contents &contents) {
  const ID3v2::FrameList &tables = tag->frameList("CTOC");
  auto *table = tables.isEmpty() ? nullptr : dynamic_cast<ID3v2::TableOfContentsFrame *>(tables.front());
  if (!table) return;
  String lines;
  for (const ByteVector &id : table->childElements()) {
    auto *chapter = ID3v2::ChapterFrame::findByElementID(tag, id);
    if (!chapter) continue;
    const ID3v2::FrameList &titles = chapter->embeddedFrameList("TIT2");
    lines += std::to_string(chapter->startTime()) + "-" + std::to_string(chapter->endTime()) + " ";
    lines += (titles.isEmpty() ? String() : titles.front()->toString()) + "\n";
  }
  copy(lines, contents.chapters);
}

void readChapters(const Ogg::XiphComment *comment, tag_reader_contents &contents) {
  const Ogg::FieldListMap &fields = comment->fieldListMap();
  String lines;
  char key[32];
  for (int number = 1; number < 1000; ++number) {
    std::snprintf(key, sizeof key, "CHAPTER%03d", number);
    if (!comment->contains(key)) break;
    lines += fields[key].toString() + " " + fields[String(key) + "NAME"].toString() + "\n";
  }
  copy(lines, contents.chapters);
}

void readComment(Ogg::XiphComment *comment, tag_reader_contents &contents) {
  copy(comment->title(), contents.title);
  copy(comment->album(), contents.album);
  copy(comment->genre(), contents.genre);
  copy(comment->fieldListMap()["DATE"].toString(), contents.date);
  contents.track = static_cast<int>(comment->track());
  contents.disc = comment->fieldListMap()["DISCNUMBER"].toString().toInt();
  readChapters(comment, contents);
}

template <class OggFile> int readOgg(FileStream &stream, tag_reader_contents &contents) {
  OggFile file(&stream, false);
  if (!file.isValid() || !file.tag()) return -1;
  readComment(file.tag(), contents);
  readPictures(file.tag()->pictureList(), contents);
  return 0;
}

int readMPEG(FileStream &stream, tag_reader_contents &contents) {
  MPEG::File file(&stream, ID3v2::FrameFactory::instance(), false);
  if (!file.isValid()) return -1;
  if (!file.hasID3v2Tag()) return 0;
  ID3v2::Tag *tag = file.ID3v2Tag();
  contents.id3_version = static_cast<int>(tag->header()->majorVersion());
  copy(tag->title(), contents.title);
  copy(tag->album(), contents.album);
  copy(tag->genre(), contents.genre);
  const ID3v2::FrameList &dates = tag->frameList("TDRC");
  if (!dates.isEmpty()) copy(dates.front()->toString(), contents.date);
  contents.track = static_cast<int>(tag->track());
  const ID3v2::FrameList &discs = tag->frameList("TPOS");
  if (!discs.isEmpty()) contents.disc = discs.front()->toString().toInt();
  readChapters(tag, contents);
  const ID3v2::FrameList &pictures = tag->frameList("APIC");
  contents.pictures = static_cast<int>(pictures.size());
  if (!pictures.isEmpty()) {
    auto *frame = dynamic_cast<ID3v2::AttachedPictureFrame *>(pictures.front());
    if (frame) contents.first_picture_length = frame->picture().size();
  }
  return 0;
}

int readMP4(FileStream &stream, tag_reader_contents &contents) {
  MP4::File file(&stream, false);
  MP4::Tag *tag = file.tag();
  if (!file.isValid() || !tag) return -1;
  copy(tag->title(), contents.title);
  copy(tag->album(), contents.album);
  copy(tag->genre(), contents.genre);
  if (tag->contains("\251day")) copy(tag->item("\251day").toStringList().toString(), contents.date);
  if (tag->contains("trkn")) contents.track = tag->item("trkn").toIntPair().first;
  if (tag->contains("disk")) contents.disc = tag->item("disk").toIntPair().first;
  if (tag->contains("covr")) {
    MP4::CoverArtList covers = tag->item("covr").toCoverArtList();
    contents.pictures = static_cast<int>(covers.size());
    if (!covers.isEmpty()) contents.first_picture_length = covers.front().data().size();
  }
  return 0;
}

int read(FileStream &stream, tag_reader_format format, tag_reader_contents &contents) {
  switch (format) {
  case TAG_READER_MPEG: return readMPEG(stream, contents);
  case TAG_READER_MP4: return readMP4(stream, contents);
  case TAG_READER_VORBIS: return readOgg<Ogg::Vorbis::File>(stream, contents);
  case TAG_READER_OPUS: return readOgg<Ogg::Opus::File>(stream, contents);
  case TAG_READER_FLAC: {
    FLAC::File file(&stream, ID3v2::FrameFactory::instance(), false);
    if (!file.isValid()) return -1;
    readComment(file.xiphComment(true), contents);
    readPictures(file.pictureList(), contents);
    return 0;
  }
  }
  return -1;
}

} // namespace

extern "C" int tag_reader_read(int descriptor, tag_reader_format format, tag_reader_contents *contents) {
  std::memset(contents, 0, sizeof *contents);
  FileStream stream(descriptor, true);
  return stream.isOpen() ? read(stream, format, *contents) : -1;
}

extern "C" void tag_reader_free(tag_reader_contents *contents) {
  for (char *text : {contents->title, contents->album, contents->date, contents->genre, contents->chapters}) {
    std::free(text);
  }
}
