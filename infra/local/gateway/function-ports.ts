import type { FunctionHost } from '../lambda/function-host.ts'

/** What a phase needs that asks a function. */
export interface FunctionInvoker {
  readonly host: FunctionHost
  /** Gets what went wrong in a function, for whoever runs the environment. */
  readonly report: (functionName: string, problem: string) => void
}
