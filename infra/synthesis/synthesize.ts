import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from '../command-line/user-error.ts'
import { type EnvironmentName, localStage } from '../environments.ts'

const projectFolder = fileURLToPath(new URL('../../', import.meta.url))

/** All that the templates and bundles are made of. */
export const sourceFiles = (): readonly string[] => [
  ...['cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json'].map((name) => join(projectFolder, name)),
  ...['functions', 'infra', 'shared'].flatMap((name) =>
    readdirSync(join(projectFolder, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  ),
]

const inputsFile = 'inputs.sha256'

export interface SynthesisOptions {
  /** The stage to synthesize. @default the one that runs on this machine */
  readonly environment?: EnvironmentName
  /** Beside that of cdk.json. */
  readonly context?: Readonly<Record<string, unknown>>
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Synthesizes one stage, as `cdk synth` does, unless nothing has changed since it last wrote this folder: the CDK needs
 * some seconds, reading the sources some milliseconds.
 *
 * @throws UserError with what the app printed, when it fails.
 */
export const synthesize = async (folder: string, options: SynthesisOptions = {}): Promise<void> => {
  const { environment = localStage, context = {}, signal } = options
  const app = [environment, JSON.stringify(context)] as const
  const inputs = hashInputs(app)
  const inputsPath = join(folder, inputsFile)
  if (existsSync(inputsPath) && readFileSync(inputsPath, 'utf8') === inputs) return
  rmSync(inputsPath, { force: true })
  // The app outlives a process that is killed, so it must not write where the next one does.
  mkdirSync(folder, { recursive: true })
  const written = mkdtempSync(`${folder}-`)
  try {
    await runApp(app, written, signal)
    moveInto(folder, written)
  } finally {
    rmSync(written, { recursive: true, force: true })
  }
  writeFileSync(inputsPath, inputs)
}

/** Earlier assets stay: instances of functions may still be loaded from them. */
const moveInto = (folder: string, written: string): void => {
  for (const name of readdirSync(written)) {
    const target = join(folder, name)
    // Named by its content.
    if (name.startsWith('asset.') && existsSync(target)) continue
    rmSync(target, { recursive: true, force: true })
    renameSync(join(written, name), target)
  }
}

/** The environment, and the context as JSON. */
type StageApp = readonly [environment: EnvironmentName, context: string]

/**
 * In a separate process, like `cdk synth`: the CDK keeps the process busy for seconds, and the
 * sources of a long-running process would be loaded only once.
 */
const runApp = ([environment, context]: StageApp, folder: string, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    // The CDK's checks of templates take longer than all the rest, and change no template.
    const env = { ...process.env, CDK_OUTDIR: folder, CDK_CONTEXT_JSON: context, CDK_VALIDATION: 'false' }
    execFile(
      process.execPath,
      ['infra/synthesis/stage-app.ts', environment],
      { cwd: projectFolder, env, signal },
      (error, _output, problems) => {
        if (error === null) resolve()
        else if (/\b(ENOSPC|EDQUOT)\b/.test(problems)) reject(new UserError(diskIsFull(folder)))
        else reject(new UserError(`The CDK app does not synthesize:\n${problems.trim() || error.message}`))
      },
    )
  })

const diskIsFull = (folder: string): string =>
  `The disk is full: the templates cannot be written to ${folder}. Free some space, or choose another folder with --data.`

const hashInputs = (app: StageApp): string => {
  const hash = createHash('sha256').update(process.version).update(app.join())
  const files = sourceFiles().filter((name) => existsSync(name))
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}
