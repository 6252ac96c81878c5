extension LineJudge {
  /// The validator's script: it reads "kind length", a line feed and that many bytes of lines, and answers with one
  /// line, empty if all of them are valid.
  ///
  /// `jsonschema` takes a quarter of a millisecond for a download, and a test run has millions of them. So the script
  /// parses each line, but validates only one of the lines that are equal to the schema: those that differ only in
  /// digits of numbers (as many digits, and zero stays zero), texts (the schema distinguishes digits only in
  /// "protocol"), names made by engines, and hashes. Of a list's elements it validates only those with a new shape at
  /// this place.
  ///
  /// It also checks the encoding that the article Protocol requires of an engine's lines: sorted keys, no blanks, no
  /// unnecessary escapes.
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
                    # One at least: a schema may ask for that.
                    kept = unseen or list(likes)[:1]
                    return [self.thinned(likes[like], path + ("",), fresh) for like in kept]
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
