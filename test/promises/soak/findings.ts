/** What was sent, and what was wrong with what came back. */
export class Findings {
  readonly responses = new Map<string, number>()
  /** The first few of all; the same fault comes often. */
  readonly faults: string[] = []
  faultCount = 0

  count(what: string): void {
    this.responses.set(what, (this.responses.get(what) ?? 0) + 1)
  }

  fault(what: string): void {
    this.faultCount += 1
    if (this.faults.length < mostShown) this.faults.push(what)
  }

  get requests(): number {
    return [...this.responses.values()].reduce((sum, count) => sum + count, 0)
  }
}

const mostShown = 20
