/** What was sent, and what was wrong with what came back. */
export class Findings {
  readonly answers = new Map<string, number>()
  /** The first few of all; the same fault comes often. */
  readonly faults: string[] = []
  faultCount = 0

  answered(what: string): void {
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1)
  }

  fault(what: string): void {
    this.faultCount += 1
    if (this.faults.length < mostShown) this.faults.push(what)
  }

  get requests(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0)
  }
}

const mostShown = 20
