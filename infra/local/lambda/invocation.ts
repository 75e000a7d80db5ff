import type { LambdaFunction } from '../template/environment-template.ts'

/** How one invocation ended. Events and results cross as JSON texts, as they do on Lambda. */
export type InvocationOutcome =
  | { readonly kind: 'result'; readonly payload: string }
  /** A function error: it threw, ran out of time or memory, or could not be loaded. */
  | {
      readonly kind: 'error'
      readonly errorType: string
      readonly errorMessage: string
      readonly stack: string | undefined
    }

/** One line or more for whoever runs the environment; a caller never sees it. */
export const describeError = (error: Extract<InvocationOutcome, { kind: 'error' }>): string =>
  error.stack ?? `${error.errorType}: ${error.errorMessage}`

/** What a function's thread knows of its function. */
export type HostedFunction = LambdaFunction & { readonly arn: string }

export interface InvocationRequest {
  readonly requestId: string
  readonly event: string
  /** Milliseconds since the Unix epoch at which the thread is ended. */
  readonly deadline: number
}

export type ThreadMessage = { readonly kind: 'loaded' } | InvocationOutcome
