//! Simulates elections of three candidates. The network loses and delays messages, the clocks differ in offset, rate
//! and wall time, and processes are paused.

use super::*;

/// The faults of clocks and processes.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// The largest error of a clock's rate, in millionths.
    drift: u64,
    /// Processes are paused for up to 40 s.
    pauses: bool,
    /// Clocks stop while their process is paused, as CLOCK_MONOTONIC does while a machine is suspended.
    stopping: bool,
    /// Each reading of a wall clock is wrong by a random amount of up to ten hours.
    jumps: bool,
}

/// An API server with one Lease, the candidates, and the messages between them.
struct World {
    rng: fastrand::Rng,
    /// The random generator for wall clocks. A separate generator keeps `jumps` from changing the rest of the
    /// simulation.
    wall_rng: fastrand::Rng,
    faults: Faults,
    now: u64,
    /// The Lease's record and resourceVersion.
    lease: Option<(Record, u64)>,
    candidates: Vec<Candidate>,
    messages: Vec<Message>,
    /// The percentage of lost messages.
    lost: u32,
    /// The largest delay of a message, in milliseconds.
    max_delay: u64,
    /// A counter that makes identities and message numbers unique.
    count: u64,
}

struct Candidate {
    election: Election,
    /// The offset of the clock, in milliseconds.
    offset: u64,
    /// The clock's advance per second, in microseconds.
    rate: u64,
    paused_until: u64,
    /// The total time for which the candidate's clock stood still in pauses, in milliseconds.
    missed: u64,
    /// The resourceVersion that the candidate last read or wrote.
    version: u64,
    doing: Doing,
}

enum Doing {
    AsleepUntil(u64),
    /// The number of the awaited answer, and the time in milliseconds at which the candidate stops waiting.
    Waiting(u64, u64),
}

struct Message {
    arrives: u64,
    number: u64,
    from: usize,
    content: Content,
}

enum Content {
    Request(Request, u64),
    Answer(Answer, u64),
}

impl World {
    fn new(seed: u64, faults: Faults) -> Self {
        let rng = fastrand::Rng::with_seed(seed);
        let wall_rng = fastrand::Rng::with_seed(seed + 1);
        let (candidates, messages) = (Vec::new(), Vec::new());
        let mut world =
            Self { rng, wall_rng, faults, now: 0, lease: None, candidates, messages, lost: 0, max_delay: 50, count: 0 };
        world.candidates = (0..3).map(|_| world.candidate()).collect();
        world
    }

    fn candidate(&mut self) -> Candidate {
        self.count += 1;
        let election = Election::new(&format!("c{}", self.count), Timing::default());
        let offset = self.rng.u64(0..100_000);
        let drift = self.faults.drift;
        let rate = 1_000_000 - drift + self.rng.u64(0..=2 * drift);
        let doing = Doing::AsleepUntil(self.now);
        Candidate { election, offset, rate, paused_until: 0, missed: 0, version: 0, doing }
    }

    fn moment(&mut self, which: usize) -> Moment {
        // Each reading of a wall clock is wrong by another random amount.
        let jump = if self.faults.jumps { self.wall_rng.u64(0..36_000_000_000) } else { 0 };
        let wall = i64::try_from(self.now * 1_000 + self.candidates[which].offset * 1_000_000 + jump).expect("small");
        Moment { own: self.own_time(which), wall: Timestamp::from_microsecond(wall).expect("a time") }
    }

    /// Returns the time on the candidate's own clock. If the candidate is paused and clocks stop in pauses, returns the
    /// time that the clock shows when the candidate continues.
    fn own_time(&self, which: usize) -> Duration {
        let Candidate { offset, rate, missed, paused_until, .. } = &self.candidates[which];
        let now = if self.faults.stopping { self.now.max(*paused_until) } else { self.now };
        Duration::from_micros((now + offset - missed) * rate / 1_000)
    }

    fn send(&mut self, number: u64, from: usize, content: Content) {
        if self.rng.u32(0..100) >= self.lost {
            let arrives = self.now + 1 + self.rng.u64(0..self.max_delay);
            self.messages.push(Message { arrives, number, from, content });
        }
    }

    /// Advances to the time of the next message or action.
    fn step(&mut self) {
        let due = self.candidates.iter().map(|candidate| match candidate.doing {
            Doing::AsleepUntil(at) | Doing::Waiting(_, at) => at.max(candidate.paused_until),
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
        if self.faults.pauses && self.rng.u32(0..50) == 0 {
            self.pause();
        }
    }

    /// Pauses a random candidate. A paused candidate sends nothing and gets no answer until the pause ends.
    fn pause(&mut self) {
        let (which, time) = (self.rng.usize(0..self.candidates.len()), self.rng.u64(1..40_000));
        let candidate = &mut self.candidates[which];
        if candidate.paused_until <= self.now {
            candidate.paused_until = self.now + time;
            candidate.missed += if self.faults.stopping { time } else { 0 };
        }
    }

    fn arrive(&mut self, Message { number, from, content, .. }: Message) {
        let paused_until = self.candidates[from].paused_until;
        match content {
            Content::Answer(..) if paused_until > self.now => {
                self.messages.push(Message { arrives: paused_until, number, from, content });
            }
            Content::Request(request, version) => {
                let (answer, version) = self.serve(request, version);
                self.send(number, from, Content::Answer(answer, version));
            }
            Content::Answer(answer, version) => {
                let now = self.moment(from);
                let candidate = &mut self.candidates[from];
                if matches!(candidate.doing, Doing::Waiting(awaited, _) if awaited == number) {
                    candidate.version = version;
                    candidate.doing = Doing::AsleepUntil(self.now);
                    candidate.election.answer(answer, now);
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
            // A refused write does not return the record.
            _ => return (Answer::Failed("conflict".to_owned()), version),
        };
        (answer, latest)
    }

    fn write(&mut self, record: Record, version: u64) -> (Answer, u64) {
        self.lease = Some((record, version));
        (Answer::Written, version)
    }

    fn act(&mut self, which: usize) {
        if self.candidates[which].paused_until > self.now {
            return;
        }
        let now = self.moment(which);
        let chance = self.rng.f64();
        let candidate = &mut self.candidates[which];
        match candidate.doing {
            Doing::AsleepUntil(until) if until > self.now => return,
            Doing::Waiting(_, until) if until > self.now => return,
            Doing::AsleepUntil(_) => {}
            Doing::Waiting(..) => candidate.election.answer(Answer::Failed("no answer".to_owned()), now),
        }
        // Converts to the simulation's time; the candidate measures the duration by its own clock.
        let rate = candidate.rate;
        let millis = |duration: Duration| u64::try_from(duration.as_micros()).expect("short").div_ceil(rate / 1_000);
        match candidate.election.next(now, chance) {
            Next::Wait(wait) => candidate.doing = Doing::AsleepUntil(self.now + millis(wait)),
            Next::Send { request, within } => {
                self.count += 1;
                candidate.doing = Doing::Waiting(self.count, self.now + millis(within));
                let version = candidate.version;
                self.send(self.count, which, Content::Request(request, version));
            }
            // The process exits, and a new candidate starts.
            Next::Stop(_) => self.candidates[which] = self.candidate(),
        }
    }

    fn leaders(&self) -> usize {
        self.candidates.iter().filter(|candidate| candidate.election.leads()).count()
    }

    /// Returns the number of candidates that would begin a binding now: candidates that lead, and whose Lease has not
    /// ended on their own clocks. A paused candidate counts if it would bind when continued now.
    fn holders(&self) -> usize {
        let holds = |which: &usize| {
            self.candidates[*which].election.leads_until().is_some_and(|end| self.own_time(*which) < end)
        };
        (0..self.candidates.len()).filter(holds).count()
    }

    /// Advances with lost messages, long delays and pauses until 400 s, and without these faults from then on.
    fn advance(&mut self, lost: u32, max_delay: u64) {
        (self.lost, self.max_delay) = if self.now < 400_000 { (lost, max_delay) } else { (0, 50) };
        self.faults.pauses &= self.now < 400_000;
        self.step();
    }
}

#[test]
fn at_most_one_candidate_leads_and_one_does_without_faults() {
    let mut changes = 0;
    for seed in 0..300 {
        let mut world = World::new(seed, Faults::default());
        while world.now < 600_000 {
            world.advance(40, 4_000);
            assert!(world.leaders() <= 1, "seed {seed}, {} ms", world.now);
            let settled = world.now >= 450_000;
            assert!(
                !settled || world.leaders() == 1,
                "seed {seed}, {} ms: no candidate leads without faults",
                world.now
            );
        }
        changes += world.lease.map_or(0, |(record, _)| record.transitions);
    }
    assert!(changes > 1_000, "only {changes} changes of the leader: the faults did nothing");
}

/// Returns the first seed and time at which two candidates hold the Lease at once.
fn find_two_holders(seeds: std::ops::Range<u64>, faults: Faults) -> Option<(u64, u64)> {
    let mut changes = 0;
    for seed in seeds {
        let mut world = World::new(seed, faults);
        // The networks range from few losses to so many that nobody leads for long.
        let (lost, max_delay) = (u32::try_from(10 + seed % 50).expect("small"), 100 + seed * 37 % 4_000);
        while world.now < 600_000 {
            world.advance(lost, max_delay);
            if world.holders() > 1 {
                return Some((seed, world.now));
            }
            let settled = world.now >= 500_000;
            assert!(
                !settled || world.leaders() == 1,
                "seed {seed}, {} ms: no candidate leads without faults",
                world.now
            );
        }
        changes += world.lease.map_or(0, |(record, _)| record.transitions);
    }
    assert!(changes > 1_000, "only {changes} changes of the leader: the faults did nothing");
    None
}

/// A drift of 2 % each, so two clocks differ by at most 4 %.
const DRIFT: u64 = 20_000;

#[test]
fn clocks_may_run_at_different_rates() {
    assert_eq!(find_two_holders(0..300, Faults { drift: DRIFT, ..Faults::default() }), None);
}

#[test]
fn processes_may_be_paused() {
    let faults = Faults { drift: DRIFT, pauses: true, jumps: true, ..Faults::default() };
    assert_eq!(find_two_holders(0..300, faults), None);
}

/// Proves that the simulation detects unsuitable clocks: a clock that stops while the machine is suspended, and
/// clocks that differ by 80 %.
#[test]
fn the_simulation_detects_unsuitable_clocks() {
    let stopping = Faults { pauses: true, stopping: true, ..Faults::default() };
    assert!(find_two_holders(0..300, stopping).is_some(), "clocks that stop do no harm");
    let drifting = Faults { drift: 400_000, ..Faults::default() };
    assert!(find_two_holders(0..300, drifting).is_some(), "clocks that differ by 80 % do no harm");
}

/// The wall clocks have no influence on which candidate leads at which time.
#[test]
fn wall_clocks_have_no_effect() {
    let course = |seed, jumps| {
        let mut world = World::new(seed, Faults { drift: DRIFT, pauses: true, jumps, ..Faults::default() });
        let mut course = Vec::new();
        while world.now < 600_000 {
            world.advance(20, 2_000);
            let leads: Vec<bool> = world.candidates.iter().map(|candidate| candidate.election.leads()).collect();
            course.push((world.now, leads));
        }
        course
    };
    for seed in 0..50 {
        assert_eq!(course(seed, false), course(seed, true), "seed {seed}");
    }
}
