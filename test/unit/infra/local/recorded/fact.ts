export interface Fact {
  readonly fact: string
  readonly source: string
  /**
   * `sure` where AWS documents it or several sources agree, `reported` where only reports of others tell, `unknown`
   * where nothing was found and the local gateway chose.
   */
  readonly certainty: 'sure' | 'reported' | 'unknown'
  /** Where the local gateway stays different: its row of the table in infra/local/README.md. `holds` then tells what it does instead. */
  readonly differs?: string
  readonly holds: () => Promise<void>
}

export const documentation = (page: string): string => `AWS documentation: ${page}`
export const snapshot = 'a snapshot recorded on AWS by an emulator project'
export const report = 'live captures and issue threads'

type Stated = (fact: string, source: string, holds: () => Promise<void>, differs?: string) => Fact

const stated =
  (certainty: Fact['certainty']): Stated =>
  (fact, source, holds, differs) => ({ fact, source, certainty, holds, ...(differs !== undefined && { differs }) })

export const sure = stated('sure')
export const reported = stated('reported')
export const unknown = stated('unknown')
