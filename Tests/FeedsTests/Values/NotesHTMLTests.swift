import PodfluxCore
import Testing

@testable import Feeds

@Suite("Show notes")
struct NotesHTMLTests {
  private func html(_ source: String) -> String {
    let html = NotesHTML.notes(source).html
    let fault = NotesGrammar.fault(in: html)
    #expect(fault == nil, "\(html)")
    return html
  }

  @Test(
    "What lays out text stays, and links lead to the web or to mail",
    arguments: [
      ("<p>One <b>two</b> <em>three</em></p>", "<p>One <b>two</b> <em>three</em></p>"),
      ("<P CLASS=x style='color:red'>a<BR/>b</P>", "<p>a<br>b</p>"),
      ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
      ("<ul><li>a<ul><li>b</ul><li>c</ul>", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
      ("<li><p>a<li>b", "<li><p>a</p></li><li>b</li>"), ("<p>a<p>b", "<p>a</p><p>b</p>"),
      ("<p>a<h2>b</h2>c", "<p>a</p><h2>b</h2>c"), ("<h1>a<h2>b", "<h1>a</h1><h2>b</h2>"),
      ("<b><i>a</b>b</i>", "<b><i>a</i></b>b"), ("a<hr>b", "a<hr>b"), ("</p>a</div>", "<p>a</p>"),
      ("</p>&lt;p&gt;", "<p>&lt;p&gt;</p>"),
      ("<pre><code>a\n  b</code></pre>", "<pre><code>a\n  b</code></pre>"),
      ("<section>a</section><table><tr><td>b</td><td>c</td></tr></table>", "<div>a</div><div><div> b  c </div></div>"),
      (
        "<a href=\"https://a.example/?x=1&amp;y=2\" onclick=\"act()\">a</a>",
        "<a href=\"https://a.example/?x=1&amp;y=2\">a</a>"
      ),
      ("<a href=https://a.example/>a</a>", "<a href=\"https://a.example\">a</a>"),
      ("<a href=' https://a.example/a b '>a", "<a href=\"https://a.example/a%20b\">a</a>"),
      ("<a href=\"mailto:me@a.example?subject=x\">a</a>", "<a href=\"mailto:me@a.example?subject=x\">a</a>"),
      (
        "<a href='https://a.example/'>a<a href='https://b.example/'>b</a>",
        "<a href=\"https://a.example/\">a</a><a href=\"https://b.example/\">b</a>"
      ),
      ("<img src=x.png alt='A &quot;picture&quot;'>", "A \"picture\""), ("<img src=x.png>", ""),
      ("<span style='x'>a</span><font>b</font>", "ab"),
      ("&eacute;&#233;&#x20AC;&nbsp;&hellip;", "<p>éé€\u{A0}…</p>"),
      ("<i>Tom &amp; Jerry & co &bogus; &lt;3</i>", "<i>Tom &amp; Jerry &amp; co &amp;bogus; &lt;3</i>"),
    ])
  func layout(source: String, expected: String) {
    #expect(html(source) == expected)
  }

  @Test(
    "Plain text gets paragraphs and line breaks",
    arguments: [
      ("One", "<p>One</p>"), ("One\nTwo", "<p>One<br>Two</p>"),
      ("One\r\n\r\n\r\n  Two\r\nThree\n", "<p>One</p><p>Two<br>Three</p>"),
      ("a < b > c & d", "<p>a &lt; b &gt; c &amp; d</p>"),
      ("Write to <me@a.example>.", "<p>Write to &lt;me@a.example&gt;.</p>"),
      ("See <https://a.example/x>", "<p>See &lt;https://a.example/x&gt;</p>"),
      ("&lt;script&gt;", "<p>&lt;script&gt;</p>"),
      ("", ""), (" \n\t ", ""), ("&#10;&#32;", ""), ("\u{A0}", ""),
    ])
  func plain(source: String, expected: String) {
    #expect(html(source) == expected)
  }

  @Test(
    "Nothing that acts is left of hostile notes",
    arguments: [
      ("<script>alert(1)</script>a<b>b</b>", "a<b>b</b>"),
      ("<SCRIPT SRC=//evil.example/x.js></SCRIPT><b>a</b>", "<b>a</b>"),
      ("<scr<script>ipt>alert(1)</script><b>a</b>", "<b>a</b>"),
      ("<style>p{background:url(javascript:act())}</style><p>a", "<p>a</p>"), ("<b>a</b><script>alert(1)", "<b>a</b>"),
      ("<p onmouseover=act() onload='act()'>a</p>", "<p>a</p>"), ("<img src=x onerror=act()><b>a</b>", "<b>a</b>"),
      ("<a href=\"javascript:act()\">a</a>", "a"), ("<a href=\" java\nscript:act()\">a</a>", "a"),
      ("<a href=\"&#106;avascript&colon;act()\">a</a>", "a"), ("<a href=\"&#x6A;&#97;vascript:act()\">a</a>", "a"),
      ("<a href=\"\u{1}javascript:act()\">a</a>", "a"), ("<a href='data:text/html,<script>act()</script>'>a</a>", "a"),
      ("<a href=\"vbscript:act()\">a</a>", "a"), ("<a href=\"file:///etc/passwd\">a</a>", "a"),
      ("<a href=\"//evil.example\">a</a>", "a"),
      ("<a href=\"/here\">a</a>", "a"), ("<a href=\"https://me:word@a.example/\">a</a>", "a"),
      ("<a href=\"https://a.example/\" href=\"javascript:act()\">a</a>", "<a href=\"https://a.example/\">a</a>"),
      (
        "<a href='https://a.example/\"onclick=\"act()'>a</a>", "<a href=\"https://a.example/%22onclick=%22act()\">a</a>"
      ),
      ("<a href='mailto:a\"onclick=\"act()'>a</a>", "<a href=\"mailto:a&quot;onclick=&quot;act()\">a</a>"),
      ("<a href=\"mailto:a b\">a</a>", "a"),
      ("<iframe src=https://evil.example></iframe><b>a</b>", "<b>a</b>"),
      ("<svg onload=act()><script>act()</script></svg><b>a</b>", "<b>a</b>"),
      ("<math><mi xlink:href=x>a</mi></math><b>a</b>", "<b>a</b>"),
      ("<object data=x><p>a</p></object><form action=x><input name=y>b</form>", "<div>b</div>"),
      ("<meta http-equiv=refresh content=0><base href=//evil.example><link rel=stylesheet href=x><b>a</b>", "<b>a</b>"),
      ("<!-- <b>no</b> --><b>a</b>", "<b>a</b>"), ("<b>a</b><!-- open", "<b>a</b>"),
      ("<!--[if IE]><script>act()</script><![endif]--><b>a</b>", "<b>a</b>"),
      ("<![CDATA[<b>a</b>]]><i>b</i>", "&lt;b&gt;a&lt;/b&gt;<i>b</i>"), ("<?php act() ?><b>a</b>", "<b>a</b>"),
      ("<!DOCTYPE x [<!ENTITY y 'z'>]><b>&y;</b>", "<b>&amp;y;</b>"),
      ("<b>a\u{0}\u{8}\u{7F}\u{85}b\u{1B}[31m</b>", "<b>ab[31m</b>"),
      ("<b>&#0;&#8;&#x7F;a</b>", "<b>a</b>"), ("<b a='>' b=\"<script>\">a</b>", "<b>a</b>"),
      ("<b/onclick=act()>a", "<b>a</b>"),
      ("<plaintext><b>a</b>", "<b>a</b>"), ("<xmp><b>no</b></xmp><b>a</b>", "<b>a</b>"),
      ("<textarea><b>no</b></textarea><i>a</i>", "<i>a</i>"),
      ("<x:script>a</x:script><b>b</b>", "a<b>b</b>"), ("<b\u{0}>a</b>", "<p>a</p>"),
      ("<<b>>a</b>", "&lt;<b>&gt;a</b>"),
      ("<noscript><p title=\"</noscript><img src=x onerror=act()>\"></noscript><b>a</b>", "\"&gt;<b>a</b>"),
    ])
  func hostile(source: String, expected: String) {
    #expect(html(source) == expected)
  }

  @Test("Elements a hundred thousand deep are read in a bounded depth, and their text stays")
  func deep() {
    let count = 100_000
    for name in ["b", "ul><li", "a href='https://a.example/'"] {
      let html = html(String(repeating: "<\(name)>", count: count) + "<i>a</i>")
      #expect(html.contains("a"), "\(name)")
      #expect(html.utf8.count < 2_000, "\(name)")
    }
    #expect(html("<b>a" + String(repeating: "</b></i>", count: count)) == "<b>a</b>")
    #expect(html(String(repeating: "<b", count: count)).utf8.count < 2_000)
    _ = html(String(repeating: "<!--", count: count))
    _ = html(String(repeating: "&", count: count))
    _ = html("<b>" + String(repeating: "<a href=\"", count: count))
  }

  @Test("What is longer than the limit is cut, and never within a tag, a reference or a character")
  func cut() {
    let long = EpisodeNotes.maximumBytes
    for source in [
      "<p>" + String(repeating: "é", count: long), String(repeating: "&", count: long),
      String(repeating: "<b>a</b>", count: long / 8 + 9),
      String(repeating: "a\n\n", count: long),
      "<p>" + String(repeating: "<a href='https://a.example/?\"&'>a</a>", count: long / 20),
    ] {
      let html = html(source)
      #expect(html.utf8.count <= long && html.utf8.count > long - 60)
    }
    // Each length at which it can be cut.
    let source = "<div>é<a href='https://a.example/?a&b'>x&amp;y</a><ul><li>€</ul></div>"
    for limit in 0...120 {
      let html = NotesHTML.html(source, upTo: limit)
      #expect(html.utf8.count <= limit && NotesGrammar.fault(in: html) == nil, "\(limit): \(html)")
    }
    #expect(
      NotesHTML.html(source, upTo: 200)
        == "<div>é<a href=\"https://a.example/?a&amp;b\">x&amp;y</a><ul><li>€</li></ul></div>")
  }

  @Test("What is made of notes is itself notes, and stays what it is")
  func again() {
    for source in ["<p>a &lt;b&gt; <a href='https://a.example/?a&b'>c</a><br>d", "<ul><li>a<li>b</ul><blockquote>c"] {
      let html = html(source)
      #expect(self.html(html) == html)
    }
  }
}
