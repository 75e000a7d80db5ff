import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
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
import { isRunning } from '../operations/target/is-running.ts'

const projectFolder = fileURLToPath(new URL('../../', import.meta.url))

/** Each cloud assembly in a folder named by the hash of what it is made of. */
const assemblies = join(projectFolder, '.build/assemblies')

/** What changes neither a template nor a bundle. */
const unused = ['**/*.md', '**/__pycache__/**', 'infra/local/**', 'infra/operations/**', 'infra/synthesis/**']

/** All that templates and bundles are made of, by its path from the project's folder. */
export const sourceFiles = (): readonly string[] =>
  globSync(['cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json', '{functions,infra,shared}/**/*.*'], {
    cwd: projectFolder,
    exclude: unused,
  }).toSorted()

export interface SynthesisOptions {
  /** The stage to synthesize. @default the one that runs on this machine */
  readonly environment?: EnvironmentName
  /** Beside that of cdk.json. */
  readonly context?: Readonly<Record<string, unknown>>
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined
}

/** Where the cloud assembly of the sources as they are now belongs. */
export const assemblyFolder = ({ environment = localStage, context = {} }: SynthesisOptions = {}): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.version, environment, context]))
  for (const file of sourceFiles()) hash.update(file).update(readFileSync(join(projectFolder, file)))
  return join(assemblies, hash.digest('hex').slice(0, 32))
}

/**
 * Synthesizes one stage, as `cdk synth` does, unless its assembly is there: the CDK needs some seconds, reading the
 * sources some milliseconds. The assembly stays until this process ends or releases it.
 *
 * @returns the folder of the cloud assembly
 * @throws UserError with what the app printed, when it fails
 */
export const synthesize = async (options: SynthesisOptions = {}): Promise<string> => {
  const folder = assemblyFolder(options)
  try {
    mkdirSync(assemblies, { recursive: true })
    // First, so that no other process removes the assembly once it is found.
    writeFileSync(useOf(folder), '')
    return existsSync(folder) ? folder : await write(folder, options)
  } catch (error) {
    releaseAssembly(folder)
    const isOfSystem = error instanceof Error && 'syscall' in error
    throw isOfSystem ? new UserError(`The templates cannot be written (${error.message}).`) : error
  }
}

/** Writes the assembly beside its folder and then renames it, so that nobody sees half of one. */
const write = async (folder: string, options: SynthesisOptions): Promise<string> => {
  const unfinished = mkdtempSync(`${useOf(folder)}.`)
  try {
    await runApp(unfinished, options)
    if (assemblyFolder(options) !== folder) {
      // The sources changed while the app read them.
      releaseAssembly(folder)
      return await synthesize(options)
    }
    // Where another process was faster, its assembly is the same.
    if (!existsSync(folder)) renameSync(unfinished, folder)
    await removeUnused()
    return folder
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Says that this process does not use an assembly any more. */
export const releaseAssembly = (folder: string): void => rmSync(useOf(folder), { force: true })

/** A file that says which process uses an assembly. */
const useOf = (folder: string): string => `${folder}.${process.pid}`

/** Removes the assemblies that no running process uses, and what killed processes have left. */
const removeUnused = async (): Promise<void> => {
  const names = readdirSync(assemblies)
  const pids = [...new Set(names.flatMap((name) => name.split('.')[1] ?? []))]
  const running = await Promise.all(pids.map((pid) => isRunning({ pid: Number(pid), port: undefined })))
  const isUsed = (name: string): boolean => running[pids.indexOf(name.split('.')[1] ?? '')] ?? false
  for (const name of names) {
    const hasUser = names.some((other) => other.startsWith(`${name}.`) && isUsed(other))
    if (!hasUser && !isUsed(name)) rmSync(join(assemblies, name), { recursive: true, force: true })
  }
}

/** The Region, the credentials and the CDK's own options of this shell change no template. */
const environmentOfApp = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_/.test(name)))

/**
 * In a separate process, like `cdk synth`: the CDK keeps the process busy for seconds, and the
 * sources of a long-running process would be loaded only once.
 */
const runApp = (folder: string, { environment = localStage, context = {}, signal }: SynthesisOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const env = {
      ...environmentOfApp(),
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify(context),
      // The CDK's checks of templates take longer than all the rest, and change no template.
      CDK_VALIDATION: 'false',
    }
    execFile(
      process.execPath,
      ['infra/synthesis/stage-app.ts', environment],
      { cwd: projectFolder, env, signal },
      (error, _output, problems) => {
        if (error === null) resolve()
        else if (/\b(ENOSPC|EDQUOT)\b/.test(problems)) {
          reject(new UserError(`The disk is full: the templates cannot be written to ${assemblies}. Free some space.`))
        } else reject(new UserError(`The CDK app does not synthesize:\n${withoutProgress(problems) || error.message}`))
      },
    )
  })

const withoutProgress = (problems: string): string => problems.replace(/^Bundling asset .*$\n/gm, '').trim()
