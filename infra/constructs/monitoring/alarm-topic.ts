import { Aws, Validations } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { EnvironmentConfig } from '../../environments.ts'

export interface AlarmTopicProps {
  readonly email: EnvironmentConfig['alarmEmail']
}

/** Gets the notifications of alarms. Their texts hold no data, so it has no key of its own. */
export class AlarmTopic extends Construct {
  readonly topic: Topic

  constructor(scope: Construct, id: string, { email }: AlarmTopicProps) {
    super(scope, id)
    this.topic = new Topic(this, 'Topic', { enforceSSL: true })
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    )
    if (email === undefined || email === 'none') return
    const subscription = this.topic.addSubscription(new EmailSubscription(email))
    Validations.of(subscription).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'An alarm on a dead-letter queue would notify the same address, which did not get the message.',
    })
  }
}
