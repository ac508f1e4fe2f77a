//! Elections of three candidates over a network that loses and delays, with clocks that differ.

use super::*;

/// An API server with one Lease, the candidates, and what is on its way between them.
struct World {
    rng: fastrand::Rng,
    now: u64,
    /// With its resourceVersion.
    lease: Option<(Record, u64)>,
    candidates: Vec<Candidate>,
    messages: Vec<Message>,
    /// How many messages in a hundred are lost.
    lost: u32,
    /// How many milliseconds one takes at most.
    slow: u64,
    /// Makes identities and messages differ.
    count: u64,
}

struct Candidate {
    election: Election,
    /// How far its clock is from the others'.
    offset: u64,
    /// The resourceVersion that it read or wrote last.
    version: u64,
    doing: Doing,
}

enum Doing {
    AsleepUntil(u64),
    /// The message's number, and when it is not waited for any more.
    Waiting(u64, u64),
}

struct Message {
    arrives: u64,
    number: u64,
    from: usize,
    what: Content,
}

enum Content {
    Request(Request, u64),
    Answer(Answer, u64),
}

impl World {
    fn new(seed: u64) -> Self {
        let rng = fastrand::Rng::with_seed(seed);
        let (candidates, messages) = (Vec::new(), Vec::new());
        let mut world = Self { rng, now: 0, lease: None, candidates, messages, lost: 0, slow: 50, count: 0 };
        world.candidates = (0..3).map(|_| world.candidate()).collect();
        world
    }

    fn candidate(&mut self) -> Candidate {
        self.count += 1;
        let election = Election::new(&format!("c{}", self.count), Timing::default());
        Candidate { election, offset: self.rng.u64(0..100_000), version: 0, doing: Doing::AsleepUntil(self.now) }
    }

    fn moment(&self, which: usize) -> Moment {
        let offset = self.candidates[which].offset;
        // Wall clocks are wrong by up to a day, each in its own way, but go on.
        let wall = i64::try_from(self.now + offset * 1_000).expect("small");
        Moment {
            own: Duration::from_millis(self.now + offset),
            wall: Timestamp::from_millisecond(wall).expect("a time"),
        }
    }

    fn send(&mut self, number: u64, from: usize, what: Content) {
        if self.rng.u32(0..100) >= self.lost {
            let arrives = self.now + 1 + self.rng.u64(0..self.slow);
            self.messages.push(Message { arrives, number, from, what });
        }
    }

    /// On to when something happens next.
    fn step(&mut self) {
        let due = self.candidates.iter().map(|one| match one.doing {
            Doing::AsleepUntil(at) | Doing::Waiting(_, at) => at,
        });
        let next = due.chain(self.messages.iter().map(|message| message.arrives)).min();
        let now = next.unwrap_or_default().max(self.now + 1);
        self.now = now;
        for message in self.messages.extract_if(.., |message| message.arrives <= now).collect::<Vec<_>>() {
            self.arrive(message);
        }
        for which in 0..self.candidates.len() {
            self.act(which);
        }
    }

    fn arrive(&mut self, Message { number, from, what, .. }: Message) {
        match what {
            Content::Request(request, version) => {
                let (answer, version) = self.serve(request, version);
                self.send(number, from, Content::Answer(answer, version));
            }
            Content::Answer(answer, version) => {
                let now = self.moment(from);
                let one = &mut self.candidates[from];
                if matches!(one.doing, Doing::Waiting(awaited, _) if awaited == number) {
                    one.version = version;
                    one.doing = Doing::AsleepUntil(self.now);
                    one.election.answer(answer, now);
                }
            }
        }
    }

    fn serve(&mut self, request: Request, version: u64) -> (Answer, u64) {
        let latest = self.lease.as_ref().map_or(0, |(_, latest)| *latest);
        let answer = match (request, &self.lease) {
            (Request::Read, None) => Answer::NotFound,
            (Request::Read, Some((record, _))) => Answer::Found(record.clone()),
            (Request::Create(record), None) => return self.write(record, 1),
            (Request::Update(record), Some(_)) if latest == version => return self.write(record, latest + 1),
            // Who is refused learns nothing of what is there.
            _ => return (Answer::Failed("conflict".to_owned()), version),
        };
        (answer, latest)
    }

    fn write(&mut self, record: Record, version: u64) -> (Answer, u64) {
        self.lease = Some((record, version));
        (Answer::Written, version)
    }

    fn act(&mut self, which: usize) {
        let now = self.moment(which);
        let chance = self.rng.f64();
        let one = &mut self.candidates[which];
        match one.doing {
            Doing::AsleepUntil(until) if until > self.now => return,
            Doing::Waiting(_, until) if until > self.now => return,
            Doing::AsleepUntil(_) => {}
            Doing::Waiting(..) => one.election.answer(Answer::Failed("no answer".to_owned()), now),
        }
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).expect("short");
        match one.election.next(now, chance) {
            Next::Wait(wait) => one.doing = Doing::AsleepUntil(self.now + millis(wait)),
            Next::Send { request, within } => {
                self.count += 1;
                one.doing = Doing::Waiting(self.count, self.now + millis(within));
                let version = one.version;
                self.send(self.count, which, Content::Request(request, version));
            }
            // The process ends, and another one is started.
            Next::Stop(_) => self.candidates[which] = self.candidate(),
        }
    }

    fn leaders(&self) -> usize {
        self.candidates.iter().filter(|one| one.election.leads()).count()
    }
}

#[test]
fn never_two_lead_and_in_good_times_one_does() {
    let mut changes = 0;
    for seed in 0..300 {
        let mut world = World::new(seed);
        while world.now < 600_000 {
            (world.lost, world.slow) = if world.now < 400_000 { (40, 4_000) } else { (0, 50) };
            world.step();
            assert!(world.leaders() <= 1, "seed {seed}, {} ms", world.now);
            let settled = world.now >= 450_000;
            assert!(!settled || world.leaders() == 1, "seed {seed}, {} ms: nobody leads in good times", world.now);
        }
        changes += world.lease.map_or(0, |(record, _)| record.transitions);
    }
    assert!(changes > 1_000, "only {changes} changes of the leader: the faults did nothing");
}
