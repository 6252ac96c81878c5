extension LineJudge {
  /// What the validator runs: it reads "kind length", a line feed and so many bytes of lines, and answers with one line,
  /// empty if all of them fit.
  ///
  /// `jsonschema` takes a quarter of a millisecond for a download, and a run of the tests sees millions of them. So each
  /// line is parsed, but only one of those is validated that cannot differ before the schema: those that are the same but
  /// for digits in their numbers (as many, and zero stays zero) and texts (the schema tells no digit from another but in
  /// "protocol"), names that engines make, and hashes. Of a list's elements only those take part whose like has not been seen at this place.
  ///
  /// A line of the engine must also be written as the article Protocol wants it: keys sorted, no blanks, no escapes
  /// that need not be.
  static let script = #"""
    import json, re, sys

    def say(text):
        sys.stdout.write(text.replace("\n", " ") + "\n")
        sys.stdout.flush()

    try:
        from jsonschema import Draft202012Validator
        from jsonschema.exceptions import best_match
        with open(sys.argv[1], encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
    except Exception as error:
        say(f"{type(error).__name__}: {error}")
        sys.exit(1)

    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    decoder = json.JSONDecoder(parse_constant=refuse)
    encoder = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digits = bytes.maketrans(b"0123456789", b"1" * 10)
    names = re.compile(rb'"(?:d-[0-9a-z]{16}|[0-9a-f]{64})"')

    def shape(text):
        text = names.sub(b'"?"', text).replace(b'"protocol":1', b'"protocol":?')
        return text.replace(b":0,", b":z,").replace(b":0}", b":z}").translate(digits)

    class Judge:
        def __init__(self, kind):
            definitions = dict(schema["$defs"])
            if kind == "output":
                definitions["listedItem"] = {"$ref": "#/$defs/item"}
            self.is_output = kind != "input"
            root = "#/$defs/output" if self.is_output else "#/$defs/input"
            self.validator = Draft202012Validator(
                {"$schema": schema["$schema"], "$id": schema["$id"], "$defs": definitions, "$ref": root})
            self.pieces = set()
            self.elements = set()

        def fault(self, line):
            try:
                value = decoder.decode(line.decode())
            except ValueError as error:
                return f"it is no JSON: {error}"
            pieces = shape(line).split(b"},{")
            if self.pieces.issuperset(pieces) and b'"engine/' not in line:
                return None
            if self.is_output and encoder.encode(value).encode() != line:
                return "it is not written in the one way: keys sorted and once, no blanks, nothing escaped needlessly"
            fresh = set()
            error = best_match(self.validator.iter_errors(self.thinned(value, (), fresh)))
            if error is not None:
                return f"{error.json_path}: {error.message[:1000]}"
            self.pieces.update(pieces)
            self.elements.update(fresh)
            return None

        def thinned(self, value, path, fresh):
            if isinstance(value, dict):
                return {key: self.thinned(member, path + (key,), fresh) for key, member in value.items()}
            if isinstance(value, list) and 1 < len(value) <= 1000 and self.is_output:
                likes = {shape(encoder.encode(element).encode()): element for element in value}
                if isinstance(value[0], dict) or len(set(map(str, value))) == len(value):
                    unseen = [like for like in likes if (path, like) not in self.elements]
                    fresh.update((path, like) for like in unseen)
                    return [self.thinned(likes[like], path + ("",), fresh) for like in unseen]
            return value

    judges = {kind: Judge(kind) for kind in ("input", "output", "partialOutput")}
    say("ready")
    while header := sys.stdin.buffer.readline():
        kind, length = header.split()
        lines = sys.stdin.buffer.read(int(length)).split(b"\n")[:-1]
        verdict = ""
        for line in lines:
            try:
                fault = judges[kind.decode()].fault(line)
            except Exception as error:
                fault = f"the validator failed: {type(error).__name__}: {error}"
            if fault is not None:
                text = line[:4000].decode(errors="replace")
                verdict = f"a line does not fit the protocol's schema: {fault}; the line: {text}"
                break
        say(verdict)
    """#
}
