import { startNode } from '../../fixtures/node-process.ts'

export interface Run {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

/** Runs one of the project's programs to its end, whatever that is, with these variables beside those of this process. */
export const runNode = async (
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<Run> => {
  const { output, errors, ended } = startNode(words, { environment: { ...process.env, ...variables } })
  return { exitCode: (await ended) ?? 1, output: output(), errors: errors() }
}
