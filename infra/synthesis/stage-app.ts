/** The CDK app with the stage that runs on this machine, as its defaults have it. */
import { createApp } from '../app.ts'
import { runCommand } from '../command-line/run-command.ts'
import { defaults, localStage } from '../environments.ts'

await runCommand(() => void createApp({ [localStage]: defaults[localStage] }).synth())
