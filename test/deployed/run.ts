import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Run {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a program at the root of the project, to its end, whatever that is. */
export const run = (
  program: string,
  words: readonly string[],
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<Run> =>
  new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, ...variables }, maxBuffer: 64 * 1024 * 1024 }
    execFile(program, [...words], options, (error, output, errors) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output, errors }),
    )
  })

/** Runs one of the project's own tools. */
export const runNode = (words: readonly string[], variables?: Readonly<Record<string, string | undefined>>) =>
  run(process.execPath, words, variables)
