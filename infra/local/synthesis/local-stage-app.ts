// Runs the CDK app with one stage, the one that the local environment runs, with its default settings. The stage has no
// API reference: the local environment serves the reference without CloudFront, and builds it at the first request.
import { runCommand } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { describeAppError } from './describe-app-error.ts'

await runCommand(async () => {
  try {
    // Imported here, so that a mistake at the top level of a module is described too. Node.js would print it with the
    // line where it was thrown, which in a package can be the whole minified file.
    const { createApp } = await import('../../app.ts')
    const { defaults, localStage } = await import('../../environments.ts')
    // If `autoSynth` is on, a failed synth would run again at the end of the process, where nothing catches its error.
    const config = { ...defaults[localStage], reference: false }
    createApp({ [localStage]: config }, { autoSynth: false }).synth()
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(describeAppError(error), { cause: error })
  }
})
