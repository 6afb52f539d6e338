#!/usr/bin/env python3
"""Writes the handoff messages of many tasks to stdout, one JSON object per line.

usage: chain-messages.py COUNT TASKS [SEED]

COUNT messages in TASKS tasks, about 8 kB each. A task is a chain of handoffs; about one
in four has a fan-out to three agents, and a message that joins it. All messages follow the
protocol, so that `handoff chain` reports no findings. The messages of several tasks are
mixed, and children may precede their parents. The same arguments always give the same bytes.
"""
import datetime, json, random, sys

ROLES = ("intake contract-analysis risk-scoring pricing procurement compliance fraud-review ledger forecast "
         "scheduling support-triage translation reporting planning research extraction matching archiving").split()
HELPERS = ["citation-agent", "currency-agent"]  # receivers of fan-outs besides the next in the chain
VERSIONS = [("1.5.0", ">=1.5.0"), ("2.1.0", "^2.0.0"), ("2.1.4", "~2.1.0"), ("3.0.2", ">=2.0.0 <4.0.0"), ("1.12.0", "1.x")]
PARTIES = ["Lumenworks", "Alpenbyte", "Nordhafen", "Casa Rivera", "Zürich Freight", "Okafor & Sons", "Pinecrest", "Delacroix"]
OWNERS = ["Priya", "Tomás", "Ingrid", "Kwame", "Sofia", "Jürgen"]
PROSE = [
    "The table shows one row for each supplier and the columns follow the template of the team.",
    "We read the first part of the document together and went through the list of parties.",
    "Most of the material is in English, with a few pages in German that a colleague translated.",
    "The supplier answered in the afternoon and added a short letter about the scope of the work.",
    "Several paragraphs describe how the services are delivered and who signs for them.",
    "The wording follows the usual template of the industry and reads well in both languages.",
    "A colleague in the Lisbon office collected the attachments and put them into the folder.",
    "The figures of the quarter are on the first page and their history is on the next one.",
    "It compares the offers by price, by delivery and by the people who would do the work.",
    "The introduction names the parties, their seats and the people who speak for them.",
]
SUBTASKS = ["Extract the clauses about", "Compare the offers for", "Collect the letters about", "Draft the text about",
            "Sort the attachments for", "Match the payments for", "Describe the services for", "Translate the pages about"]
TOPICS = ["storage", "freight", "support", "licences", "training", "cleaning", "printing", "insurance", "travel", "catering"]
CONSTRAINTS = ["returnJSON:true", "maxResponseTokens:2000", "scoringFramework:iso31000", "language:en", "region:EU",
               "currency:EUR", "tone:formal", "dataResidency:eu-central"]
WINDOW = 512  # messages that wait to be written
ACTIVE = 16   # tasks whose messages are mixed


def quote(text):
    return json.dumps(text, ensure_ascii=False)


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))


class Task:
    def __init__(self, r, number, size):
        self.r, self.size = r, size
        self.id, self.trace = self.uuid(), "%032x" % (r.getrandbits(128) | 1)
        self.now = 1_767_225_600_000 + number * 1_800_000 + r.randrange(600_000)
        self.constraints = ",".join(map(quote, r.sample(CONSTRAINTS, 4)))
        self.agents = 3
        while not (is_prime(self.agents) and self.agents * (self.agents - 1) > size + 2):
            self.agents += 2
        self.subtasks = [(quote("s%d" % i), quote("%s %s for %s" % (r.choice(SUBTASKS), r.choice(TOPICS), r.choice(PARTIES))))
                         for i in range(min(size + 4, 12))]
        self.description = quote("Prepare the agreement with %s about %s" % (r.choice(PARTIES), r.choice(TOPICS)))
        self.context = ",".join('{"source":%s,"excerpt":%s,"relevanceScore":0.%02d}' % (
            quote("Contract %d, page %d" % (r.randrange(10000), i + 1)), quote(" ".join(r.sample(PROSE, 3))), r.randint(10, 99))
            for i in range(4))

    def uuid(self):
        n = self.r.getrandbits(122)
        return "%08x-%04x-4%03x-%x%03x-%012x" % (
            n & 0xffffffff, n >> 32 & 0xffff, n >> 48 & 0xfff, 8 | n >> 60 & 3, n >> 62 & 0xfff, n >> 74)

    def agent(self, step):
        """The agents of a chain, so that no agent hands over to the same one twice: the stride
        grows with every round through a prime number of agents."""
        rounds, at = divmod(step, self.agents)
        number = at * (rounds % (self.agents - 1) + 1) % self.agents
        role = ROLES[number % len(ROLES)]
        return role + "-agent" if number < len(ROLES) else "%s-%d-agent" % (role, number // len(ROLES) + 1)

    def messages(self):
        last, left, step = Message(self), self.size, 0
        fan_at = self.size // 2 if self.size > 8 and self.r.randrange(4) == 0 else -1
        while left > 0:
            last = last.go_on(self.agent(step), self.agent(step + 1), HELPERS if step == fan_at else [])
            yield last.text
            left -= 1
            if step == fan_at:
                fan, joint = last, self.agent(step + 2)
                branches = [fan.go_on(agent, joint) for agent in [self.agent(step + 1), *HELPERS]]
                yield from (b.text for b in branches)
                left -= len(branches)
                last = branches[0].join(fan, branches[1:])
                step += 1
            step += 1


class Message:
    """The content of a message, with the parts that its children take over."""

    def __init__(self, task):
        self.task, self.text, self.id, self.now = task, "", None, task.now
        self.completed, self.state, self.turns, self.notes, self.tools = [], [], [], [], []
        self.done, self.spent, self.prompt, self.completion = frozenset(), 0, 0, 0

    def join(self, fan, others):
        """The same message, with the results of the other branches of a fan-out."""
        for b in others:
            self.completed = self.completed + b.completed[len(fan.completed):]
            self.state = self.state + b.state[len(fan.state):]
            self.done |= b.done
            self.now = max(self.now, b.now)
            self.spent += b.spent - fan.spent
            self.prompt += b.prompt - fan.prompt
            self.completion += b.completion - fan.completion
        return self

    def turn(self):
        """A turn and its summary."""
        r = self.task.r
        number, party = r.randrange(10000, 99999), r.choice(PARTIES)
        euro = r.randrange(1000, 90000)
        form = r.randrange(7)
        if form == 0:
            fact = note = "Invoice INV-%d of %s comes to %s.%02d EUR." % (number, party, format(euro, ","), r.randrange(100))
        elif form == 1:
            fact = note = "%s wants %d days to pay for order PO-%d." % (party, r.randint(10, 90), number)
        elif form == 2:
            fact = note = "Do not release order PO-%d before %s confirms it." % (number, r.choice(OWNERS))
        elif form == 3:
            clause = "%d.%d" % (r.randint(2, 19), r.randint(1, 9))
            fact = "Clause %s is flagged as potentially unlimited liability of %s." % (clause, party)
            note = "Clause %s flagged: potentially unlimited liability, %s." % (clause, party)
        elif form == 4:
            fact = note = "The term ends on 2027-%02d-%02d, as MSA-%d says." % (r.randint(1, 12), r.randint(1, 28), number)
        elif form == 5:
            fact = note = "Please write to desk%d@%s.example about it." % (number, party.split()[0].lower().replace("ü", "u"))
        else:
            at = self.now // 1000
            return ('{"role":"tool","content":%s,"timestamp":"%s"}' % (
                quote('{"invoice":"INV-%d","total":%d.00,"party":"%s"}' % (number, euro, party)), stamp(at * 1000)),
                "The ledger has INV-%d with %s EUR." % (number, format(euro, ",")))
        text = "%s %s %s" % (r.choice(PROSE), fact, r.choice(PROSE))
        return '{"role":"%s","content":%s,"timestamp":"%s"}' % (r.choice(["user", "assistant"]), quote(text), stamp(self.now)), note

    def go_on(self, sender, receiver, more=()):
        """The next message, from this one's receiver to one or more receivers."""
        task, r = self.task, self.task.r
        m = Message(task)
        m.id, m.now = task.uuid(), self.now + r.randint(2000, 20000)
        m.spent = self.spent + r.randint(1, 9)
        m.prompt, m.completion = self.prompt + r.randint(100, 3000), self.completion + r.randint(10, 900)
        m.completed, m.done, m.state = self.completed, self.done, self.state
        open_subtasks = [i for i in range(len(task.subtasks)) if i not in m.done]
        mine = HELPERS.index(sender) + 1 if sender in HELPERS else 0  # branches have different work
        if mine < len(open_subtasks) and (not m.done or r.randrange(task.size) < len(task.subtasks)):
            i = open_subtasks[mine]
            m.done = m.done | {i}
            sid, what = task.subtasks[i]
            m.completed = m.completed + ['{"subtaskId":%s,"description":%s,"result":{"items":%d,"text":%s},"completedAt":"%s"}' % (
                sid, what, r.randint(1, 99), quote(r.choice(PROSE)), stamp(m.now - 1000))]
            m.state = m.state + ['"%s-%d":{"count":%d,"score":0.%03d,"text":%s}' % (
                sender, i, r.randrange(1000), r.randrange(1000), quote(r.choice(PROSE)))]
        history = self.turns + [m.turn() for _ in range(r.randint(1, 3))]
        m.turns, dropped = history[-6:], history[:-6]
        m.notes = (self.notes + [note for _, note in dropped])[-12:]
        m.tools = (self.tools + ['{"tool":"pdf_extract","calledAt":"%s","inputHash":"sha256:%064x","outputTokens":%d}' % (
            stamp(m.now - 1500), r.getrandbits(256), r.randint(10, 5000))])[-4:]
        left = 100 * task.size * 10 - m.spent
        version = VERSIONS[hash_of(sender)][0]
        receivers = [target(a) for a in [receiver, *more]]
        m.text = "".join([
            '{"schemaVersion":"2.0","handoffId":"', m.id, '","taskId":"', task.id,
            '","parentHandoffId":', '"%s"' % self.id if self.id else "null",
            ',"fromAgent":{"agentId":"', sender, '","agentVersion":"', version, '","executionId":"', task.uuid(),
            '"},"toAgent":', receivers[0], ',"receiverList":[%s]' % ",".join(receivers) if more else "",
            ',"timestamp":"', stamp(m.now), '","taskDescription":', task.description,
            ',"completedSubtasks":[', ",".join(m.completed), '],"remainingSubtasks":[',
            ",".join('{"subtaskId":%s,"description":%s}' % s for i, s in enumerate(task.subtasks) if i not in m.done),
            '],"currentState":{', ",".join(m.state), '},"relevantContext":[', task.context,
            '],"constraints":[', task.constraints,
            '],"costTracking":{"costSpentSoFarUSD":%d.%02d,"costBudgetRemainingUSD":%d.%02d,' % (*divmod(m.spent, 100), *divmod(left, 100)),
            '"tokenSpent":{"prompt":%d,"completion":%d}}' % (m.prompt, m.completion),
            ',"conversationHistorySummary":', quote(" ".join(m.notes)),
            ',"conversationHistoryVerbatim":[', ",".join(turn for turn, _ in m.turns),
            '],"toolCallHistory":[', ",".join(m.tools),
            '],"traceparent":"00-', task.trace, "-%016x" % (r.getrandbits(64) | 1), '-01"}\n'])
        return m


def hash_of(agent):
    return sum(agent.encode()) % len(VERSIONS)


def target(agent):
    return '{"agentType":"%s","agentVersion":"%s"}' % (agent, VERSIONS[hash_of(agent)][1])


def stamp(ms, days={}):
    day, ms = divmod(ms, 86_400_000)
    if day not in days:
        days[day] = (datetime.date(1970, 1, 1) + datetime.timedelta(day)).isoformat()
    return "%sT%02d:%02d:%02d.%03dZ" % (days[day], ms // 3_600_000, ms // 60_000 % 60, ms // 1000 % 60, ms % 1000)


def main(count, tasks, seed):
    r = random.Random(seed)
    out = open(sys.stdout.fileno(), "w", encoding="utf-8", newline="\n", buffering=1 << 20)
    sizes = [count // tasks + (i < count % tasks) for i in range(tasks)]
    waiting, active = [], []
    for number, size in enumerate(sizes):
        active.append(Task(r, number, size).messages())
        while len(active) >= ACTIVE or number == tasks - 1 and active:
            at = r.randrange(len(active))
            text = next(active[at], None)
            if text is None:
                active.pop(at)
                continue
            waiting.append(text)
            if len(waiting) > WINDOW:
                swap(r, waiting)
                out.write(waiting.pop())
    while waiting:
        swap(r, waiting)
        out.write(waiting.pop())
    out.close()


def swap(r, waiting):
    at = r.randrange(len(waiting))
    waiting[at], waiting[-1] = waiting[-1], waiting[at]


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 7)
