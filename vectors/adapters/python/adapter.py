"""Canonical JSON with Python's standard library, written from PROTOCOL.md alone."""
import json
import sys


class Refused(Exception):
    def __init__(self, step, comment):
        super().__init__(comment)
        self.step = step


def members(pairs):
    """Make an object, and refuse a name that is there twice."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Refused("syntax", "a name is there twice")
    return value


def number(text):
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Refused("number", text + " is beyond the range of a double")
    return value


def constant(name):
    raise Refused("syntax", name + " is not JSON")


def written(value):
    """Write a double as ECMAScript does (RFC 8785, section 3.2.2.3)."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    digits, _, exponent = ("%r" % abs(value)).partition("e")
    whole, _, fraction = digits.partition(".")
    if fraction == "0":
        fraction = ""
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if 0 < point <= 21:
        text = digits.ljust(point, "0")
        return sign + text[:point] + ("." + text[point:] if text[point:] else "")
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    exponent = point - 1
    mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
    return "%s%se%s%d" % (sign, mantissa, "+" if exponent > 0 else "-", abs(exponent))


def string(text):
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Refused("syntax", "half of a surrogate pair")
    return json.dumps(text, ensure_ascii=False)


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(string(n) + ":" + canonical(value[n]) for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return written(value)
    return string(value) if isinstance(value, str) else json.dumps(value)


def answer(operation, given):
    if operation != "canonicalize":
        return {"verdict": "not_applicable"}
    try:
        value = json.loads(given["text"], object_pairs_hook=members, parse_float=number, parse_int=number, parse_constant=constant)
        return {"verdict": "valid", "output": canonical(value)}
    except Refused as refused:
        return {"verdict": "invalid", "step": refused.step, "comment": str(refused)}
    except (ValueError, RecursionError) as error:
        return {"verdict": "invalid", "step": "syntax", "comment": str(error)}


for line in sys.stdin:
    case = json.loads(line)
    reply = {"id": case["id"], **answer(case["operation"], case["input"]), "implementation": "json of Python 3"}
    print(json.dumps(reply), flush=True)
