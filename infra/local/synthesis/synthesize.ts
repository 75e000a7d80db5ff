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
import { buildFolder, repositoryRoot } from '../../command-line/repository-root.ts'
import { UserError } from '../../command-line/user-error.ts'
import { existsProcess } from '../../commands/environment/local-environment.ts'
import { runProgram } from './run-program.ts'

/**
 * Folder of the cloud assemblies. Each assembly is a folder named by the hash of its code. Beside it, a file named
 * `<hash>.<process id>` marks each process that uses it, and a folder `<hash>.<process id>.<random>` is an assembly
 * that this process has not finished.
 */
const assembliesFolder = join(buildFolder, 'assemblies')

/** Patterns of the files from which templates and bundles are made. */
const codePatterns = [
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '{functions,infra,shared}/**/*.*',
]

/** Patterns of those of these files that change neither a template nor a bundle. */
const unusedCodePatterns = ['**/*.md', '**/__pycache__/**', 'infra/local/**', 'infra/commands/**']

/** Values of the CDK's context, in addition to those of cdk.json. */
type Context = Readonly<Record<string, unknown>>

/** Finds the folder to which the cloud assembly of the present code belongs, whether or not it exists. */
export const findAssemblyFolder = (context: Context = {}, projectFolder = repositoryRoot): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.version, context]))
  const files = globSync(codePatterns, { cwd: projectFolder, exclude: unusedCodePatterns }).toSorted()
  for (const file of files) {
    hash.update(file).update(readCode(join(projectFolder, file)))
  }
  return join(assembliesFolder, hash.digest('hex').slice(0, 32))
}

/**
 * Reads a file of the code. The text is empty if the file cannot be read: it is a folder such as `x.d`, or an editor or
 * git locks or replaces it at the moment. A watch reads it again soon, and an import of it reports the reason.
 */
const readCode = (path: string): Buffer | string => {
  try {
    return readFileSync(path)
  } catch {
    return ''
  }
}

/**
 * Synthesizes the stage that the local environment runs, as `cdk synth` does, unless its assembly exists: the CDK
 * takes seconds, reading the code takes milliseconds. The assembly stays until this process ends or calls
 * `unmarkAssembly`.
 *
 *     const folder = await synthesize()
 *
 * @returns the folder of the cloud assembly
 * @throws UserError with the text that the app printed, when the app fails
 */
export const synthesize = async (context: Context = {}): Promise<string> => {
  const folder = findAssemblyFolder(context)
  try {
    mkdirSync(assembliesFolder, { recursive: true })
    // The marker comes first, so that no other process removes the assembly after this one has seen it.
    writeFileSync(findUseMarker(folder), '')
    if (!existsSync(folder)) await writeAssembly(folder, context)
    if (existsSync(folder)) return folder
  } catch (error) {
    throw explainSystemError(error)
  } finally {
    if (!existsSync(folder)) unmarkAssembly(folder)
  }
  // The code changed while the app read it, so the assembly was not kept. Try again with the changed code.
  return synthesize(context)
}

/** Marks the assembly as no longer used by this process. */
export const unmarkAssembly = (folder: string): void => rmSync(findUseMarker(folder), { force: true })

/** Finds the file whose existence tells other processes that this one uses the assembly. */
const findUseMarker = (folder: string): string => `${folder}.${process.pid}`

/** Turns an error of the operating system into a message for the operator. Other errors pass unchanged. */
const explainSystemError = (error: unknown): unknown => {
  const isSystemError = error instanceof Error && 'syscall' in error
  return isSystemError ? new UserError(`The templates cannot be written (${error.message}).`) : error
}

/**
 * Writes the assembly into another folder and then renames that folder, so that no process sees half an assembly. If
 * the code changed meanwhile, nothing is renamed.
 */
const writeAssembly = async (folder: string, context: Context): Promise<void> => {
  const unfinished = mkdtempSync(`${findUseMarker(folder)}.`)
  try {
    await runApp(unfinished, context)
    if (findAssemblyFolder(context) === folder) renameSync(unfinished, folder)
    removeUnusedAssemblies()
  } catch (error) {
    // If another process has written the same assembly first, the rename fails, and that assembly is used.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Removes assemblies that no running process uses, and files of processes that were killed. */
const removeUnusedAssemblies = (): void => {
  const usedNames = new Set<string>()
  const names = readdirSync(assembliesFolder)
  for (const name of names) {
    const [hash = '', pid] = name.split('.')
    if (pid === undefined) continue
    if (existsProcess(Number(pid))) usedNames.add(hash).add(name)
  }

  const unusedNames = names.filter((name) => !usedNames.has(name))
  for (const name of unusedNames) rmSync(join(assembliesFolder, name), { recursive: true, force: true })
}

/** Runs the CDK app in a separate process, like `cdk synth`. The CDK keeps a process busy for seconds. */
const runApp = async (folder: string, context: Context): Promise<void> => {
  // The Region, the credentials and the CDK's own options of this shell must not change a template.
  const environment = Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_/.test(name))
  const env = {
    ...Object.fromEntries(environment),
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    // The CDK's checks of templates take longer than all the rest, and change no template.
    CDK_VALIDATION: 'false',
  }
  // The CDK prints a line for each bundle before the error, which is left out of the message.
  await runProgram('infra/local/synthesis/local-stage-app.ts', env).catch(({ message }: UserError) => {
    throw new UserError(`The CDK app does not synthesize:\n${message.replace(/^Bundling asset .*$\n?/gm, '')}`)
  })
}
