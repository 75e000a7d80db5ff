// Runs the CDK app with one stage, the one that the local environment runs, with its default settings.
import { createApp } from '../app.ts'
import { runCommand } from '../command-line/run-command.ts'
import { defaults, localStage } from '../environments.ts'

await runCommand(() => {
  createApp({ [localStage]: defaults[localStage] }).synth()
})
